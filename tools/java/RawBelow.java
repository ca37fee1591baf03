package org.fsconform.contracts;

import org.apache.hadoop.fs.LocalFileSystem;
import org.fsconform.recorder.RecordedRawLocalFileSystem;

/** The filesystem of {@code file:} on a raw one that records: the tests of the raw one take it from there. */
public class RawBelow extends LocalFileSystem {
  public RawBelow() {
    super(new RecordedRawLocalFileSystem());
  }
}
