package careful;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

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

  /** That of the superclass deletes the destination first. */
  @Override
  public void renameInternal(Path source, Path destination, boolean overwrite) throws IOException {
    store.rename(source, destination, overwrite ? Options.Rename.OVERWRITE : Options.Rename.NONE);
  }
}
