package org.fsconform.spark;

import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** Hadoop's LocalFileSystem, which tells the gate of its renames before it makes them. */
public final class GatedLocalFileSystem extends org.apache.hadoop.fs.LocalFileSystem {
  @Override
  public boolean rename(Path source, Path destination) throws IOException {
    Gate.before("rename", destination.toUri().getPath());
    return super.rename(source, destination);
  }
}
