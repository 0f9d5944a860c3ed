package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** What is marked on an object; one without marks may say null. */
public final class Marks {

  private Marks() {}

  public static Map<String, String> labels(HasMetadata object) {
    return Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.of());
  }

  public static Map<String, String> annotations(HasMetadata object) {
    return Objects.requireNonNullElse(object.getMetadata().getAnnotations(), Map.of());
  }

  /** Labels for a pod of that template, which may be changed; null values are left out. */
  public static Map<String, String> labels(PodTemplateSpec template) {
    return present(template, ObjectMeta::getLabels);
  }

  /** The same of its annotations. */
  public static Map<String, String> annotations(PodTemplateSpec template) {
    return present(template, ObjectMeta::getAnnotations);
  }

  private static Map<String, String> present(
      PodTemplateSpec template, Function<ObjectMeta, Map<String, String>> marks) {
    var given = Optional.ofNullable(template.getMetadata()).map(marks).orElse(Map.of());
    var present = new TreeMap<>(given);
    present.values().removeIf(Objects::isNull);
    return present;
  }
}
