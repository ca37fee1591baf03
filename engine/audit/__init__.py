"""HDFS audit logs as traces: what a NameNode says it did, judged by the sets of namespaces that it could have had."""
