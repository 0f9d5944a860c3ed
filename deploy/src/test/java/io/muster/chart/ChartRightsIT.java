package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.sandbox.GrantedRight;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the account of Muster's pods may do in each combination of job kinds, by the roles that the
 * chart binds to it: what {@code deploy/rbac} grants for gangs and for these kinds, of which {@code
 * UsedRightsIT} shows that it is used, and nothing else.
 */
final class ChartRightsIT {

  private static final List<String> KINDS = List.of("di", "dlrover", "etoperator", "paddle");

  static Stream<List<String>> combinations() {
    return IntStream.range(0, 1 << KINDS.size())
        .mapToObj(bits ->
            IntStream.range(0, KINDS.size())
                .filter(i -> (bits & 1 << i) != 0)
                .mapToObj(KINDS::get)
                .toList());
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void theAccountHasTheRightsOfItsKindsAndNoOther(List<String> kinds) {
    var granted = granted(ChartRendering.objects(List.of(value(kinds))), "muster");

    var wanted = new HashSet<>(GrantedRight.forGangs());
    kinds.forEach(kind -> wanted.addAll(GrantedRight.forJobs(kind)));
    assertThat(new HashSet<>(granted)).isEqualTo(wanted);
  }

  @Test
  void theBoardsAccountHasTheRightsOfItsFileAndIsNotThereWithoutIt() throws IOException {
    var file = Files.readString(Path.of("rbac/board.yml"));
    var wanted =
        GrantedRight.of(
            Arrays.stream(file.split("\n---\n"))
                .map(document -> new KubernetesSerialization().<HasMetadata>unmarshal(document))
                .toList());

    var granted =
        granted(ChartRendering.objects(List.of("board={\"enabled\":true}")), "muster-board");
    assertThat(new HashSet<>(granted)).isEqualTo(new HashSet<>(wanted));
    assertThat(granted(ChartRendering.objects(List.of()), "muster-board")).isEmpty();
  }

  private static String value(List<String> kinds) {
    return kinds.stream()
        .map(kind -> "\"" + kind + "\":true")
        .collect(Collectors.joining(",", "jobKinds={", "}"));
  }

  private static List<GrantedRight> granted(List<JsonNode> objects, String account) {
    var byName = new TreeMap<String, JsonNode>();
    objects.forEach(object -> byName.put(ChartRendering.name(object), object));
    var roles = new ArrayList<HasMetadata>();
    for (var binding : objects) {
      if (isOf(account, binding)) {
        var role = binding.path("roleRef");
        var namespace = binding.path("metadata").path("namespace").asText();
        var name =
            "%s %s%s"
                .formatted(
                    role.path("kind").asText(),
                    namespace.isEmpty() ? "" : namespace + "/",
                    role.path("name").asText());
        assertThat(byName).as(name).containsKey(name);
        roles.add(Serialization.unmarshal(byName.get(name).toString(), HasMetadata.class));
      }
    }
    return GrantedRight.of(roles);
  }

  private static boolean isOf(String account, JsonNode object) {
    return object.path("kind").asText().endsWith("RoleBinding")
        && object
            .path("subjects")
            .valueStream()
            .anyMatch(subject ->
                subject.path("kind").asText().equals("ServiceAccount")
                    && subject.path("name").asText().equals(account)
                    && subject.path("namespace").asText().equals(ChartRendering.NAMESPACE));
  }
}
