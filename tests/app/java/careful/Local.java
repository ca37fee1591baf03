package careful;

import static org.apache.hadoop.fs.impl.PathCapabilitiesSupport.validatePathCapabilityArgs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** The raw local file system under another scheme, with a status of its own: Hadoop's works for file: only. */
final class Local extends RawLocalFileSystem {
  static final URI HOME = URI.create("careful:///");
  private static final int LONGEST_NAME = 255;
  private static final int LONGEST_PATH = 4095;

  /** Refuses what the machine can't name, and what is no path element. */
  static void checkNames(Path path) {
    String whole = path.toUri().getPath();
    for (String name : whole.split(Path.SEPARATOR)) {
      if (bytes(name) > LONGEST_NAME || name.indexOf(':') >= 0 || name.indexOf('\0') >= 0) {
        throw new InvalidPathException(whole, "a name that can't be used");
      }
    }
    if (bytes(whole) > LONGEST_PATH || !StandardCharsets.UTF_8.newEncoder().canEncode(whole)) {
      throw new InvalidPathException(whole, "a path that can't be used");
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** A path below another; that of two texts would take a name with a colon for a scheme. */
  static Path child(Path directory, String name) {
    return new Path(directory, new Path(null, null, name));
  }

  @Override
  public URI getUri() {
    return HOME;
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    try {
      Map<String, Object> found = Files.readAttributes(pathToFile(path).toPath(), "unix:*");
      boolean directory = (Boolean) found.get("isDirectory");
      return new FileStatus(directory ? 0 : (Long) found.get("size"), directory, 1, getDefaultBlockSize(path),
          ((FileTime) found.get("lastModifiedTime")).toMillis(), ((FileTime) found.get("lastAccessTime")).toMillis(),
          new FsPermission((short) ((Integer) found.get("mode") & 07777)), found.get("owner").toString(),
          found.get("group").toString(), makeQualified(path));
    } catch (FileSystemException | java.nio.file.InvalidPathException error) {
      throw new FileNotFoundException("there is no " + path);
    }
  }

  @Override
  public FileStatus getFileLinkStatus(Path path) throws IOException {
    return getFileStatus(path);
  }

  @Override
  public Path getLinkTarget(Path path) throws IOException {
    return getFileStatus(path).getSymlink();
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    FileStatus status = getFileStatus(path);
    return status.isFile() ? new FileStatus[] {status} : super.listStatus(path);
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    getFileStatus(path);
    Files.setAttribute(pathToFile(path).toPath(), "unix:mode", (int) permission.toShort());
  }

  // What is not there is neither claimed nor done.

  @Override
  public void concat(Path target, Path[] sources) {
    throw new UnsupportedOperationException("there is no concat");
  }

  @Override
  protected PathHandle createPathHandle(FileStatus status, Options.HandleOpt... options) {
    throw new UnsupportedOperationException("there are no path handles");
  }

  @Override
  public FSDataInputStream open(PathHandle handle, int buffer) {
    throw new UnsupportedOperationException("there are no path handles");
  }

  @Override
  public boolean supportsSymlinks() {
    return false;
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    switch (validatePathCapabilityArgs(makeQualified(path), capability)) {
      case CommonPathCapabilities.FS_CONCAT:
      case CommonPathCapabilities.FS_PATHHANDLES:
        return false;
      default:
        return super.hasPathCapability(path, capability);
    }
  }
}
