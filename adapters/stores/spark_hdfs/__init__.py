"""The store ``spark-hdfs``."""
