"""The layers, a file for each family. Users find them in wf.nn, beside the functions of the same words."""
