"""Which functions run when Relax calls a recipe: a call graph, with what may be in every name on the way.

`entries(launch, project)` says what a launch has Relax call: the reward, the generate function, the environment.
`reached(entry, project)` gives the functions that run then, with `args` and `sample` under whatever name they travel
(parameters, local names, closures, attributes of objects, `partial`, containers)::

    for entry in entries(launch, project):
        for reading in reached(entry, project).readings(SAMPLE):
            place = reading.function.source.place(reading.node)   # sample.<reading.name>

`ReachedFunction.values(expression)` says what any expression in its code may be: ``{Given("sample", ("metadata",))}``
is certainly `sample.metadata`, ``Given("sample", ("metadata", "[question]"))`` the key's value. A value that may be
something else holds that too, or ``ANYTHING``; constants and None add nothing.
"""
