package io.muster.deploy.mutate;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What keeps the API server from reading a manifest, though it is sound YAML. Stateless. */
final class PodForm {

  /** As the API server names it when it refuses one. */
  private static final Pattern QUANTITY =
      Pattern.compile("([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)");

  private static final List<String> NUMBERS =
      List.of("replicas", "parallelism", "completions", "numOfHosts");

  private PodForm() {}

  /** What cannot be the number of copies of a template; the sentence names its field. */
  static Optional<String> faultOfNumbers(JsonNode workload, String path) {
    return NUMBERS.stream()
        .flatMap(field -> {
          var name = path.isEmpty() ? field : path + "." + field;
          return faultOfNumber(workload.path(field)).map(why -> name + " is " + why).stream();
        })
        .findFirst();
  }

  private static Optional<String> faultOfNumber(JsonNode number) {
    var shown = number.asText();
    if (number.isTextual()) {
      return Optional.of("\"%s\", which is no number: leave the quotes out".formatted(shown));
    }
    boolean isCount =
        number.canConvertToExactIntegral() && number.canConvertToInt() && number.asInt() >= 0;
    return number.isNumber() && !isCount
        ? Optional.of("%s: it is a whole number from 0 to %d".formatted(shown, Integer.MAX_VALUE))
        : Optional.empty();
  }

  /** Of a pod or a template of one; the sentence names the field. */
  static Optional<String> fault(JsonNode pod) {
    return faultOfTexts(pod, "annotations")
        .or(() -> faultOfTexts(pod, "labels"))
        .or(() -> faultOfContainers(pod, "initContainers"))
        .or(() -> faultOfContainers(pod, "containers"));
  }

  private static Optional<String> faultOfTexts(JsonNode pod, String field) {
    return pod.path("metadata").path(field).properties().stream()
        .filter(entry -> entry.getValue().isNumber() || entry.getValue().isBoolean())
        .findFirst()
        .map(entry ->
            "metadata.%s[\"%s\"] is %s, which is no string: put it in quotes"
                .formatted(field, entry.getKey(), entry.getValue().asText()));
  }

  private static Optional<String> faultOfContainers(JsonNode pod, String field) {
    var containers = pod.path("spec").path(field);
    for (int i = 0; i < containers.size(); i++) {
      var resources = containers.path(i).path("resources");
      for (var kind : List.of("limits", "requests")) {
        for (var amount : resources.path(kind).properties()) {
          if (amount.getValue().isTextual()
              && !QUANTITY.matcher(amount.getValue().asText()).matches()) {
            return Optional.of(
                "spec.%s[%d].resources.%s[\"%s\"] is \"%s\", which is no quantity, like 8 or 16Gi"
                    .formatted(field, i, kind, amount.getKey(), amount.getValue().asText()));
          }
        }
      }
    }
    return Optional.empty();
  }
}
