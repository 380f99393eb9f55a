"""A call on its way: the request, one order of retreat, races, one result out of several (R5)."""
