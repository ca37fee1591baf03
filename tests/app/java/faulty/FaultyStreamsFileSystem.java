package faulty;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.FutureDataInputStreamBuilderImpl;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.LambdaUtils;
import org.apache.hadoop.util.Progressable;

/**
 * A user's own FileSystem: the raw local one under the scheme faulty, with streams of its own and at most one fault.
 *
 * fs.faulty.fault names the fault. Where it is not set, the file that fs.faulty.fault.file names holds it, and is read
 * whenever a stream is opened. Without a fault the streams do all that they have to.
 */
public class FaultyStreamsFileSystem extends FilterFileSystem {
  private static final URI HOME = URI.create("faulty:///");

  /** The raw local one under another scheme, with a status of its own: Hadoop's works for file: only. */
  private static final class Local extends RawLocalFileSystem {
    @Override
    public URI getUri() {
      return HOME;
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      FileStatus told = super.getFileStatus(path);
      Map<String, Object> found = Files.readAttributes(pathToFile(path).toPath(), "unix:mode,owner,group");
      return new FileStatus(told.getLen(), told.isDirectory(), told.getReplication(), told.getBlockSize(),
          told.getModificationTime(), told.getAccessTime(),
          new FsPermission((short) ((Integer) found.get("mode") & 07777)), found.get("owner").toString(),
          found.get("group").toString(), told.getPath());
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
      FileStatus told = getFileStatus(path);
      return told.isFile() ? new FileStatus[] {told} : super.listStatus(path);
    }
  }

  private static final int LONGEST_NAME = 255;
  private static final int LONGEST_PATH = 4095;

  private interface Making {
    FSDataOutputStream make() throws IOException;
  }

  private String fault = "";
  private String file = "";

  public FaultyStreamsFileSystem() {
    super(new Local());
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    fault = conf.get("fs.faulty.fault", "");
    file = conf.get("fs.faulty.fault.file", "");
  }

  private String fault() throws IOException {
    return fault.isEmpty() && !file.isEmpty() ? Files.readString(java.nio.file.Path.of(file)).trim() : fault;
  }

  private java.nio.file.Path local(Path path) {
    return ((RawLocalFileSystem) fs).pathToFile(path).toPath();
  }

  @Override
  public String getScheme() {
    return HOME.getScheme();
  }

  // What is read

  @Override
  public FSDataInputStream open(Path path, int buffer) throws IOException {
    super.open(path, buffer).close();
    return new FSDataInputStream(new FaultyInputStream(FileChannel.open(local(path)), fault()));
  }

  // What opens with options asks the store below too.

  @Override
  public FutureDataInputStreamBuilder openFile(Path path) {
    return ((FutureDataInputStreamBuilderImpl) createDataInputStreamBuilder(this, path)).getThisBuilder();
  }

  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(Path path, OpenFileParameters parameters)
      throws IOException {
    AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(parameters.getMandatoryKeys(),
        Options.OpenFileOptions.FS_OPTION_OPENFILE_STANDARD_OPTIONS, "for " + path);
    return LambdaUtils.eval(new CompletableFuture<>(), () -> open(path, parameters.getBufferSize()));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    FileStatus told = super.getFileStatus(path);
    int ahead = FaultyOutputStream.ahead(local(path));
    return ahead == 0 ? told : new FileStatus(told.getLen() + ahead, told.isDirectory(), told.getReplication(),
        told.getBlockSize(), told.getModificationTime(), told.getPath());
  }

  // What is written

  @Override
  public FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite, int buffer,
      short replication, long block, Progressable progress) throws IOException {
    return begun(path, false,
        () -> super.create(path, permission, overwrite, buffer, replication, block, progress));
  }

  @Override
  public FSDataOutputStream create(Path path, FsPermission permission, EnumSet<CreateFlag> flags, int buffer,
      short replication, long block, Progressable progress, Options.ChecksumOpt checksum) throws IOException {
    return create(path, permission, flags.contains(CreateFlag.OVERWRITE), buffer, replication, block, progress);
  }

  @Override
  public FSDataOutputStream createNonRecursive(Path path, FsPermission permission, EnumSet<CreateFlag> flags,
      int buffer, short replication, long block, Progressable progress) throws IOException {
    return begun(path, false,
        () -> super.createNonRecursive(path, permission, flags, buffer, replication, block, progress));
  }

  @Override
  public FSDataOutputStream append(Path path, int buffer, Progressable progress) throws IOException {
    return begun(path, true, () -> super.append(path, buffer, progress));
  }

  // FilterFileSystem hands builders of the store below out, which know nothing of the streams of this one.

  @Override
  @SuppressWarnings("rawtypes")
  public FSDataOutputStreamBuilder createFile(Path path) {
    return createDataOutputStreamBuilder(this, path).create().overwrite(true);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public FSDataOutputStreamBuilder appendFile(Path path) {
    return createDataOutputStreamBuilder(this, path).append();
  }

  private FSDataOutputStream begun(Path path, boolean append, Making making) throws IOException {
    checkNames(path);
    java.nio.file.Path local = local(path);
    String chosen = fault();
    FaultyOutputStream.checkLease(local);
    boolean keeps = chosen.equals("overwrite-late") && !append && Files.isRegularFile(local);
    byte[] old = keeps ? Files.readAllBytes(local) : new byte[0];
    making.make().close();
    if (keeps) {
      Files.write(local, old);
    }
    boolean atEnd = append && !chosen.equals("append-from-start");
    FileChannel channel =
        FileChannel.open(local, atEnd ? StandardOpenOption.APPEND : StandardOpenOption.WRITE);
    boolean aborts = chosen.equals("abort-publishes") || chosen.equals("abort-raises");
    FaultyOutputStream stream = aborts
        ? new FaultyOutputStream.Aborting(local, channel, chosen) : new FaultyOutputStream(local, channel, chosen);
    return new FSDataOutputStream(stream, statistics, atEnd ? channel.size() : 0);
  }

  // What the raw local one does wrong beside streams: calls that it refuses have made or moved something.

  private static void checkNames(Path path) throws IOException {
    String whole = path.toUri().getPath();
    for (String name : whole.split(Path.SEPARATOR)) {
      if (bytes(name) > LONGEST_NAME) {
        throw new InvalidPathException(whole, "a name that is too long");
      }
    }
    if (bytes(whole) > LONGEST_PATH) {
      throw new InvalidPathException(whole, "too long");
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    checkNames(path);
    return super.mkdirs(path, permission);
  }

  @Override
  public boolean rename(Path source, Path destination) throws IOException {
    checkNames(destination);
    Path from = makeQualified(source);
    Path into = makeQualified(destination);
    getFileStatus(from);
    if (!from.isRoot() && !into.isRoot() && !from.equals(into) && Files.isDirectory(local(into))) {
      Path to = new Path(into, new Path(null, null, from.getName()));
      if (from.equals(to)) {
        return true;
      }
      if (Files.isDirectory(local(to)) && listStatus(to).length > 0) {
        throw new FileAlreadyExistsException("the destination exists: " + to);
      }
    }
    return super.rename(from, into);
  }
}
