package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.webhook.core.Admission.Allowed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing that stands in a pod is changed, removed or hidden, whatever the pod is. */
final class UserFieldsTest {

  /** Written by Muster, or filled in by the API before Muster is asked and computed anew later. */
  private static final Set<String> NOT_BY_USERS =
      Set.of(
          "/metadata/annotations/muster.io/domain",
          "/metadata/annotations/muster.io/gang-dialect",
          "/metadata/annotations/muster.io/injected",
          "/metadata/annotations/muster.io/segment",
          "/metadata/annotations/muster.io/user-env",
          "/metadata/labels/muster.io/gang-service",
          "/metadata/labels/muster.io/member",
          "/metadata/managedFields",
          "/spec/preemptionPolicy",
          "/spec/priority",
          "/spec/schedulingGates/0",
          "/spec/terminationGracePeriodSeconds");

  private static final Pattern END_OF_PATH = Pattern.compile("[ ,]");

  /** What every member gets, beside envFrom too. */
  private static final Set<String> OF_MEMBERS =
      Set.of("NODE_NUM", "NODE_RANK", "GANG_NAME", "GANG_MIN", "POD_NAME", "POD_IP");

  static List<Fixture> admitted() {
    return Fixture.all().stream()
        .filter(fixture -> Fixture.admit(fixture.pod()) instanceof Allowed)
        .toList();
  }

  /** Values of a copy are those of another pod, and Muster's. */
  static List<Fixture> written() {
    return admitted().stream()
        .filter(fixture ->
            !fixture.pod().path("metadata").path("annotations").has("muster.io/injected"))
        .toList();
  }

  private static JsonNode stored(Fixture fixture) {
    var pod = fixture.pod();
    return Fixture.patched(pod, (Allowed) Fixture.admit(pod));
  }

  @ParameterizedTest
  @MethodSource("written")
  void everyFieldStaysAsItIs(Fixture fixture) {
    assertThat(PodDifferences.between(fixture.pod(), stored(fixture)))
        .filteredOn(found -> !NOT_BY_USERS.contains(END_OF_PATH.split(found, 2)[0]))
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("admitted")
  void nothingIsHiddenByWhatIsAdded(Fixture fixture) {
    var before = containers(fixture.pod());
    var after = containers(stored(fixture));

    for (int i = 0; i < before.size(); i++) {
      var names = values(before.get(i), "env", "name");
      var added = new ArrayList<>(values(after.get(i), "env", "name"));
      names.forEach(added::remove);
      var paths = paths(before.get(i));
      var mounted = new ArrayList<>(paths(after.get(i)));
      paths.forEach(mounted::remove);

      assertThat(added).noneMatch(names::contains);
      assertThat(mounted).noneMatch(paths::contains);
      if (!before.get(i).path("envFrom").isEmpty()) {
        assertThat(added).isSubsetOf(OF_MEMBERS);
      }
    }
  }

  @Test
  void whatIsChangedOrGoneIsFound() throws Exception {
    var json = new ObjectMapper();

    assertThat(
            PodDifferences.between(
                json.readTree("{\"a\":1,\"b\":[1,2],\"c\":[{\"n\":1},{\"n\":2}],\"d\":{}}"),
                json.readTree("{\"a\":2,\"b\":[0,2,1],\"c\":[{\"n\":1,\"m\":0},{\"n\":3}]}")))
        .containsExactly(
            "/a was 1 and is 2",
            "/b/1, 2, is gone or changed",
            "/c/1, {\"n\":2}, is gone or changed",
            "/d is gone");
  }

  private static List<JsonNode> containers(JsonNode pod) {
    var spec = pod.path("spec");
    return Stream.of("initContainers", "containers")
        .flatMap(list -> spec.path(list).valueStream())
        .toList();
  }

  private static List<String> values(JsonNode container, String list, String member) {
    return container.path(list).valueStream().map(item -> item.path(member).asText()).toList();
  }

  private static List<String> paths(JsonNode container) {
    return values(container, "volumeMounts", "mountPath").stream()
        .map(path -> Path.of("/", path).normalize().toString())
        .toList();
  }
}
