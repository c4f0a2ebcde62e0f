"""Areas, in any unit."""

from pint import UnitRegistry

_UNITS = UnitRegistry()


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    """Whether the area is right, within a hundredth."""
    said = solution_str.rpartition("Area:")[2].strip()
    try:
        area = _UNITS(said).to("m**2").magnitude
    except Exception:
        return {"score": 0.0, "read": False}
    right = abs(area - float(ground_truth)) <= 0.01 * float(ground_truth)
    return {"score": float(right), "read": True}
