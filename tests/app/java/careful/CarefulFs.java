package careful;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** The way to the store by FileContext. */
public class CarefulFs extends DelegateToFileSystem {
  private final CarefulFileSystem store;

  CarefulFs(URI uri, Configuration conf) throws IOException, URISyntaxException {
    this(uri, new CarefulFileSystem(), conf);
  }

  private CarefulFs(URI uri, CarefulFileSystem store, Configuration conf) throws IOException, URISyntaxException {
    super(uri, store, conf, store.getScheme(), false);
    this.store = store;
  }

  /** That of the superclass asks for the parent of a file that is to be appended to. */
  @Override
  public FSDataOutputStream createInternal(Path file, EnumSet<CreateFlag> flags, FsPermission permission, int buffer,
      short replication, long block, Progressable progress, Options.ChecksumOpt checksum, boolean parents)
      throws IOException {
    if (flags.equals(EnumSet.of(CreateFlag.APPEND))) {
      return store.append(file, buffer, progress);
    }
    return super.createInternal(file, flags, permission, buffer, replication, block, progress, checksum, parents);
  }

  /** That of the superclass deletes the destination first. */
  @Override
  public void renameInternal(Path source, Path destination, boolean overwrite) throws IOException {
    store.rename(source, destination, overwrite ? Options.Rename.OVERWRITE : Options.Rename.NONE);
  }
}
