package io.muster.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/**
 * A file with what the JVM learns of Muster in a run, and writes when it ends (JEP 514, JEP 515).
 * What was there before stays until the new one is whole.
 */
public final class AotCache {

  private final Path file;
  private final Path unfinished;

  private AotCache(Path file, Path unfinished) {
    this.file = file;
    this.unfinished = unfinished;
  }

  /**
   * One that is to be made.
   *
   * @throws UncheckedIOException where the rest of an earlier try cannot be deleted
   */
  public static AotCache at(Path file) {
    var unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    try {
      Files.deleteIfExists(unfinished);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new AotCache(file, unfinished);
  }

  /** The argument by which Muster's JVM writes it. */
  public String option() {
    return "-XX:AOTCacheOutput=" + unfinished;
  }

  /**
   * Ends the Muster that was started with the argument.
   *
   * @param limit how long its JVM may take to end, and to write
   * @return where the cache is
   * @throws SandboxException where it wrote none
   */
  public Path endAndKeep(MusterProcess muster, Duration limit) {
    muster.terminate(limit);
    if (!Files.isRegularFile(unfinished)) {
      throw new SandboxException("The JVM wrote no cache; its words are in " + muster.log());
    }
    try {
      return Files.move(
          unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
