package org.fsconform.spark;

import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** The client of HDFS, which tells the gate of its renames before it makes them. */
public final class GatedHdfs extends org.apache.hadoop.hdfs.DistributedFileSystem {
  @Override
  public boolean rename(Path source, Path destination) throws IOException {
    Gate.before("rename", destination.toUri().getPath());
    return super.rename(source, destination);
  }
}
