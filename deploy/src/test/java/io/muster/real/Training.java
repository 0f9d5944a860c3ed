package io.muster.real;

import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a training tells by the files of the folder that all its members see, while others write
 * them. Immutable.
 *
 * @param folder {@code starts}: a line for each process that starts; {@code worlds}: {@code host
 *     rank world step} for each that begins to train with others; {@code steps}: {@code step world
 *     loss} for each step that was finished
 */
record Training(Path folder) {

  /** One step that was finished, by how many together. */
  record Step(long number, int world, double loss) {}

  /** Ends it well, after the step that it is at. */
  void stop() {
    try {
      Files.writeString(folder.resolve("stop"), "");
    } catch (IOException e) {
      throw new SandboxException("The training cannot be told to stop: " + e, e);
    }
  }

  long starts() {
    return lines("starts").size();
  }

  /** The size of the world of each process that began to train, in their order. */
  List<Integer> worlds() {
    return lines("worlds").stream().map(line -> Integer.parseInt(line.split(" ", -1)[2])).toList();
  }

  List<Step> steps() {
    return lines("steps").stream()
        .map(line -> line.split(" ", -1))
        .map(words ->
            new Step(
                Long.parseLong(words[0]), Integer.parseInt(words[1]), Double.parseDouble(words[2])))
        .toList();
  }

  /** Whole lines only: one may be half written. */
  private List<String> lines(String file) {
    try {
      var text = Files.readString(folder.resolve(file));
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new SandboxException(folder.resolve(file) + " cannot be read: " + e, e);
    }
  }
}
