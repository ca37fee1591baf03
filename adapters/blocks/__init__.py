"""Programs on the machines of a real HDFS cluster: a client that makes a call at a time, and what the disks have."""
