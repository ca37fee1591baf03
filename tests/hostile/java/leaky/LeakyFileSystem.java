package leaky;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** The raw local file system under the scheme leaky, which repeats all secrets that it is configured with. */
public class LeakyFileSystem extends FilterFileSystem {
  private static final URI HOME = URI.create("leaky:///");

  private static final class Local extends RawLocalFileSystem {
    @Override
    public URI getUri() {
      return HOME;
    }
  }

  private String secrets = "";

  public LeakyFileSystem() {
    super(new Local());
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(HOME, conf);
    List<String> found = new ArrayList<>();
    for (String property : conf.getTrimmedStrings("leaky.reveal")) {
      char[] value = conf.getPassword(property);
      if (value != null) {
        found.add(new String(value));
      }
    }
    for (String variable : conf.getTrimmedStrings("leaky.variables")) {
      if (System.getenv(variable) != null) {
        found.add(System.getenv(variable));
      }
    }
    if (name.getUserInfo() != null) {
      found.add(name.getUserInfo());
      found.add(name.toString());
    }
    secrets = String.join(" ", found);
    System.err.println("opened with " + found.size() + ": " + secrets);
    System.out.println("opened on " + secrets);
    System.out.flush();
    System.err.println("in a query: " + URLEncoder.encode(secrets, StandardCharsets.UTF_8));
    System.err.println("in a path: " + new Path("/" + secrets.replace(":", "")).toUri().getRawPath());
    System.err.println("in JSON: " + secrets.replace("/", "\\/"));
    System.err.println("in other JSON: " + secrets.replace("=", "\\u003d").replace("<", "\\u003c").replace("&", "\\u0026"));
    System.err.println("in XML: " + secrets.replace("&", "&#38;").replace("<", "&lt;"));
    if (conf.getBoolean("leaky.down", false)) {
      throw new IOException("no way in with " + secrets);
    }
    for (int tries = 0; tries < conf.getInt("leaky.hang", 0); tries++) {
      System.err.println("waiting with " + secrets);
      try {
        Thread.sleep(100);
      } catch (InterruptedException error) {
        throw new IOException(error);
      }
    }
  }

  @Override
  public String getScheme() {
    return HOME.getScheme();
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    int middle = secrets.length() / 2;
    System.err.print("delete with " + secrets.substring(0, middle)); // a line that comes in two pieces
    System.err.flush();
    System.err.println(secrets.substring(middle));
    if (!path.getName().startsWith("run-") && !path.getName().startsWith("p") && super.exists(path)
        && super.getFileStatus(path).isFile()) {
      throw new IllegalStateException("no delete with " + secrets);
    }
    return super.delete(path, recursive);
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    FileStatus[] found = super.listStatus(path);
    for (FileStatus one : found) {
      if (one.getPath().getName().equals("b")) {
        one.setPath(new Path(one.getPath().getParent(), "b-" + secrets.replace("/", "%2F").replace(":", "%3A")));
      }
    }
    return found;
  }

  @Override
  public FSDataInputStream open(Path path, int buffer) throws IOException {
    if (!super.exists(path)) {
      throw new IOException("cannot open " + path.getName() + " with " + secrets, new IOException("because of " + secrets));
    }
    return super.open(path, buffer);
  }
}
