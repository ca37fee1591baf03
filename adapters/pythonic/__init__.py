"""Drives filesystem libraries of Python: pyarrow.fs, fsspec with s3fs, and WebHDFS through the package hdfs.

What is judged is the library's own interface, by the calls that a user of it would make. Each library has a module with
its calls and a table that says which error of the specification each of its errors stands for, and why.
"""
