package careful;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.EnumSet;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.fs.PathIsNotDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.util.Progressable;

/** The raw local file system under the scheme careful, with manners: a call that is refused has changed nothing. */
public class CarefulFileSystem extends FilterFileSystem {
  public CarefulFileSystem() {
    super(new Local());
  }

  @Override
  public String getScheme() {
    return Local.HOME.getScheme();
  }

  // What is made

  @Override
  public FSDataOutputStream create(Path file, FsPermission permission, boolean overwrite, int buffer,
      short replication, long block, Progressable progress) throws IOException {
    checkWritable(file, overwrite);
    return super.create(file, permission, overwrite, buffer, replication, block, progress);
  }

  @Override
  public FSDataOutputStream create(Path file, FsPermission permission, EnumSet<CreateFlag> flags, int buffer,
      short replication, long block, Progressable progress, Options.ChecksumOpt checksum) throws IOException {
    checkWritable(file, flags.contains(CreateFlag.OVERWRITE));
    return super.create(file, permission, flags, buffer, replication, block, progress, checksum);
  }

  @Override
  public FSDataOutputStream createNonRecursive(Path file, FsPermission permission, EnumSet<CreateFlag> flags,
      int buffer, short replication, long block, Progressable progress) throws IOException {
    checkWritable(file, flags.contains(CreateFlag.OVERWRITE));
    checkParent(makeQualified(file));
    return super.createNonRecursive(file, permission, flags, buffer, replication, block, progress);
  }

  @Override
  protected FSDataOutputStream primitiveCreate(Path file, FsPermission permission, EnumSet<CreateFlag> flags,
      int buffer, short replication, long block, Progressable progress, Options.ChecksumOpt checksum)
      throws IOException {
    if (flags.contains(CreateFlag.CREATE)) {
      checkWritable(file, flags.contains(CreateFlag.OVERWRITE) || flags.contains(CreateFlag.APPEND));
    }
    return super.primitiveCreate(file, permission, flags, buffer, replication, block, progress, checksum);
  }

  @Override
  public boolean mkdirs(Path directory) throws IOException {
    return mkdirs(directory, FsPermission.getDirDefault());
  }

  @Override
  protected boolean primitiveMkdir(Path directory, FsPermission permission) throws IOException {
    return mkdirs(directory, permission);
  }

  @Override
  public boolean mkdirs(Path directory, FsPermission permission) throws IOException {
    checkAncestors(directory);
    FileStatus there = find(directory);
    if (there != null && there.isFile()) {
      throw new FileAlreadyExistsException("a file: " + directory);
    }
    return super.mkdirs(directory, permission);
  }

  // FilterFileSystem hands builders of the store below out, which know nothing of the checks above.

  @Override
  public FSDataOutputStreamBuilder createFile(Path file) {
    return createDataOutputStreamBuilder(this, file).create().overwrite(true);
  }

  @Override
  public FSDataOutputStreamBuilder appendFile(Path file) {
    return createDataOutputStreamBuilder(this, file).append();
  }

  @Override
  public boolean truncate(Path file, long length) throws IOException {
    FileStatus there = getFileStatus(file);
    if (there.isFile() && (length < 0 || length > there.getLen())) {
      throw new HadoopIllegalArgumentException("no length to truncate to: " + length + " of " + there.getLen());
    }
    return super.truncate(file, length);
  }

  // What is moved

  @Override
  public boolean rename(Path source, Path destination) throws IOException {
    Path from = makeQualified(source);
    Path to = makeQualified(destination);
    FileStatus moved = getFileStatus(from);
    if (!from.equals(to) && isDirectory(find(to)) && !from.isRoot()) {
      to = Local.child(to, from.getName());
    }
    if (from.equals(to)) {
      return true;
    }
    checkMove(from, to);
    if (find(to) != null) {
      throw new FileAlreadyExistsException("the destination exists: " + to);
    }
    return move(moved, to);
  }

  @Override
  protected void rename(Path source, Path destination, Options.Rename... options) throws IOException {
    Path from = makeQualified(source);
    Path to = makeQualified(destination);
    FileStatus moved = getFileStatus(from);
    if (from.equals(to)) {
      throw new FileAlreadyExistsException("source and destination are the same: " + to);
    }
    checkMove(from, to);
    FileStatus there = find(to);
    if (there != null) {
      if (there.isDirectory() != moved.isDirectory()) {
        throw new IOException("a file and a directory: " + from + " and " + to);
      }
      if (!Arrays.asList(options).contains(Options.Rename.OVERWRITE)) {
        throw new FileAlreadyExistsException("the destination exists: " + to);
      }
      if (there.isDirectory() && listStatus(to).length > 0) {
        throw new IOException("the destination is not empty: " + to);
      }
    }
    move(moved, to);
  }

  private void checkMove(Path from, Path to) throws IOException {
    if (from.isRoot() || to.isRoot() || to.toString().startsWith(from + Path.SEPARATOR)) {
      throw new IOException("can't be moved: " + from + " to " + to);
    }
    Local.checkNames(to);
    checkParent(to);
  }

  private boolean move(FileStatus moved, Path to) throws IOException {
    if (!super.rename(moved.getPath(), to)) {
      throw new IOException("was not moved: " + moved.getPath() + " to " + to);
    }
    return true;
  }

  // What is copied: Hadoop's copy looks at each level for a directory of the name, and goes one deeper.

  @Override
  public void copyFromLocalFile(boolean delete, Path source, Path destination) throws IOException {
    copyFromLocalFile(delete, true, source, destination);
  }

  @Override
  public void copyFromLocalFile(boolean delete, boolean overwrite, Path[] sources, Path destination)
      throws IOException {
    if (sources.length > 1 && !isDirectory(find(destination))) {
      throw new PathIsNotDirectoryException(destination.toString());
    }
    for (Path source : sources) {
      copyFromLocalFile(delete, overwrite, source, destination);
    }
  }

  @Override
  public void copyFromLocalFile(boolean delete, boolean overwrite, Path source, Path destination)
      throws IOException {
    FileSystem local = getLocal(getConf());
    FileStatus copied = local.getFileStatus(source);
    Path to = makeQualified(destination);
    if (isDirectory(find(to))) {
      to = Local.child(to, copied.getPath().getName());
    }
    FileStatus there = find(to);
    if (there != null && there.isFile() && copied.isDirectory()) {
      throw new FileAlreadyExistsException("a file: " + to);
    }
    if (there != null && !overwrite) {
      throw new PathExistsException(to.toString());
    }
    copy(local, copied, to);
    if (delete) {
      local.delete(source, true);
    }
  }

  private void copy(FileSystem local, FileStatus copied, Path to) throws IOException {
    if (copied.isFile()) {
      try (InputStream in = local.open(copied.getPath()); OutputStream out = create(to, true)) {
        IOUtils.copyBytes(in, out, getConf());
      }
      return;
    }
    mkdirs(to);
    for (FileStatus one : local.listStatus(copied.getPath())) {
      copy(local, one, Local.child(to, one.getPath().getName()));
    }
  }

  // Checks

  private FileStatus find(Path path) throws IOException {
    try {
      return getFileStatus(path);
    } catch (FileNotFoundException error) {
      return null;
    }
  }

  private static boolean isDirectory(FileStatus found) {
    return found != null && found.isDirectory();
  }

  private void checkWritable(Path file, boolean overwrite) throws IOException {
    checkAncestors(file);
    FileStatus there = find(file);
    if (there != null && (there.isDirectory() || !overwrite)) {
      throw new FileAlreadyExistsException("exists: " + file);
    }
  }

  private void checkAncestors(Path path) throws IOException {
    Path above = makeQualified(path);
    Local.checkNames(above);
    FileStatus there = null;
    while (there == null && (above = above.getParent()) != null) {
      there = find(above);
    }
    if (there != null && there.isFile()) {
      throw new ParentNotDirectoryException("a file: " + above);
    }
  }

  private void checkParent(Path path) throws IOException {
    if (getFileStatus(path.getParent()).isFile()) {
      throw new ParentNotDirectoryException("a file: " + path.getParent());
    }
  }
}
