package seeded;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** A user's own FileSystem: the raw local one under the scheme seeded, with one fault that seeded.fault chooses. */
public class SeededFileSystem extends FilterFileSystem {
  private static final URI HOME = URI.create("seeded:///");

  private static final class Local extends RawLocalFileSystem {
    @Override
    public URI getUri() {
      return HOME;
    }
  }

  private String fault = "";
  private String trigger = "";
  private String secret = "";

  public SeededFileSystem() {
    super(new Local());
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    fault = conf.get("seeded.fault", "");
    trigger = conf.get("seeded.trigger", "");
    if (fault.equals("down")) {
      throw new IOException("the seeded store is down");
    }
    secret = secret(conf);
    if (fault.equals("wants-secret") && !Integer.toHexString(secret.hashCode()).equals(conf.get("seeded.expected"))) {
      throw new IOException("access denied");
    }
  }

  private static String secret(Configuration conf) throws IOException {
    char[] found = conf.getPassword("seeded.access.key");
    String token = System.getenv("SEEDED_SESSION_TOKEN");
    String other = conf.get("seeded.other.secret");
    return (found == null ? "" : new String(found))
        + (token == null ? "" : " " + token)
        + (other == null ? "" : " " + other);
  }

  @Override
  public String getScheme() {
    return HOME.getScheme();
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    if (fault.equals("tells-secret")) {
      System.err.println("delete with the key " + secret);
      throw new IllegalStateException("no delete with the key " + secret);
    }
    return super.delete(path, recursive || fault.equals("delete-non-empty"));
  }

  @Override
  public boolean rename(Path source, Path destination) throws IOException {
    boolean file = fault.equals("rename-keeps-source") && getFileStatus(source).isFile();
    byte[] content = file ? Files.readAllBytes(java.nio.file.Path.of(source.toUri().getPath())) : null;
    boolean renamed = super.rename(source, destination);
    if (file && renamed) {
      try (OutputStream out = create(source, true)) {
        out.write(content);
      }
    }
    return renamed;
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    if (path.getName().equals(trigger)) {
      if (fault.equals("hangs")) {
        try {
          Thread.sleep(3_600_000L);
        } catch (InterruptedException error) {
          throw new IOException(error);
        }
      } else if (fault.equals("halts")) {
        Runtime.getRuntime().halt(9);
      }
    }
    return super.getFileStatus(path);
  }
}
