package io.muster.real;

import java.util.List;

/**
 * What a training tells by the files of the folder that all its members see, while others write
 * them. Immutable.
 *
 * @param notes {@code starts}: a line for each process that starts; {@code worlds}: {@code host
 *     rank world step} for each that begins to train with others; {@code steps}: {@code step world
 *     loss} for each step that was finished
 */
record Training(Notes notes) {

  /** One step that was finished, by how many together. */
  record Step(long number, int world, double loss) {}

  /** Ends it well, after the step that it is at. */
  void stop() {
    notes.stop();
  }

  long starts() {
    return notes.lines("starts").size();
  }

  /** The size of the world of each process that began to train, in their order. */
  List<Integer> worlds() {
    return notes.lines("worlds").stream()
        .map(line -> Integer.parseInt(line.split(" ", -1)[2]))
        .toList();
  }

  List<Step> steps() {
    return notes.lines("steps").stream()
        .map(line -> line.split(" ", -1))
        .map(words ->
            new Step(
                Long.parseLong(words[0]), Integer.parseInt(words[1]), Double.parseDouble(words[2])))
        .toList();
  }
}
