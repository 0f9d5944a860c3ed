package io.muster.real;

import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The folder that all processes of a play see: they add lines to its files, and the file {@code
 * stop} tells them to end. Immutable.
 */
record Notes(Path folder) {

  /** Whole lines only: one may be half written. */
  List<String> lines(String file) {
    try {
      var text = Files.readString(folder.resolve(file));
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new SandboxException(folder.resolve(file) + " cannot be read: " + e, e);
    }
  }

  void stop() {
    try {
      Files.writeString(folder.resolve("stop"), "");
    } catch (IOException e) {
      throw new SandboxException("The processes cannot be told to stop: " + e, e);
    }
  }
}
