package io.muster.controller.kube.pod;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Parts of pods that are always the same but for a word, as they stand in a file. Immutable.
 *
 * @param word which stands for the word
 */
public record PodParts(String yaml, String word) {

  /** Those in a file beside a class. */
  public static PodParts beside(Class<?> type, String file, String word) {
    return new PodParts(text(type, file), "${" + word + "}");
  }

  /** The text of a file beside a class. */
  public static String text(Class<?> type, String file) {
    try (var text = type.getResourceAsStream(file)) {
      return new String(text.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The parts; whoever asks may change them.
   *
   * @param name in place of the word; may be the name of an object
   */
  public PodSpec with(String name) {
    return Serialization.unmarshal(yaml.replace(word, name), PodSpec.class);
  }

  /** Has a container mount what those parts have the first of their own mount. */
  public static void mount(Container container, PodSpec parts) {
    var mounts =
        new ArrayList<>(
            Objects.requireNonNullElse(container.getVolumeMounts(), List.<VolumeMount>of()));
    mounts.addAll(parts.getContainers().getFirst().getVolumeMounts());
    container.setVolumeMounts(mounts);
  }
}
