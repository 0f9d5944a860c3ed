package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.webhook.core.Admission;
import io.muster.webhook.core.Admission.Allowed;
import io.muster.webhook.core.Admission.Denied;
import io.muster.webhook.core.Edit;
import io.muster.webhook.core.Rule;
import io.muster.webhook.json.PatchJson;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every fixture is admitted with the patch, the warnings or the refusal that stand beside it:
 * {@code patch.json}, {@code warnings.txt}, {@code denied.txt}.
 */
final class InjectionFixturesTest {

  private static final String STAMP = "@[0-9a-f]{8}";

  static List<Fixture> fixtures() {
    return Fixture.all();
  }

  static List<Fixture> admitted() {
    return Fixture.all().stream()
        .filter(fixture -> Fixture.admit(fixture.pod()) instanceof Allowed)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void isAdmittedAsIsWrittenBesideIt(Fixture fixture) throws IOException {
    var outcome = Fixture.admit(fixture.pod());
    check(fixture, "patch.json", patch(outcome));
    check(fixture, "warnings.txt", warnings(outcome));
    check(fixture, "denied.txt", refusal(outcome));
  }

  @ParameterizedTest
  @MethodSource("admitted")
  void aSecondCallChangesNothing(Fixture fixture) {
    var pod = fixture.pod();
    var once = Fixture.patched(pod, (Allowed) Fixture.admit(pod));

    var again = (Allowed) Fixture.admit(once);

    assertThat(again.patch()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("admitted")
  void theEditsThatAreExplainedMakeThePodThatIsStored(Fixture fixture) {
    var pod = fixture.pod();
    var allowed = (Allowed) Fixture.admit(pod);

    var edits = allowed.edits().stream().map(Edit::op).toList();

    assertThat(JsonPatch.apply(PatchJson.of(edits), pod)).isEqualTo(Fixture.patched(pod, allowed));
  }

  @Test
  void everyRuleIsShownByAFixture() {
    var shown = new TreeSet<String>();
    for (var fixture : admitted()) {
      for (var edit : ((Allowed) Fixture.admit(fixture.pod())).edits()) {
        shown.add(edit.rule().code());
      }
    }
    assertThat(shown)
        .containsExactlyInAnyOrder(
            Arrays.stream(Rule.values())
                // By settings that are off here: AssignedSchedulerTest, PodGroupsTest.
                .filter(rule -> rule != Rule.SCHEDULER && rule != Rule.GROUP)
                .map(Rule::code)
                .toArray(String[]::new));
  }

  private static void check(Fixture fixture, String name, List<String> lines) throws IOException {
    var file = fixture.file(name);
    var text = lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
    if (Boolean.getBoolean("muster.golden.update")) {
      if (text.isEmpty()) {
        Files.deleteIfExists(file);
      } else {
        Files.writeString(file, text);
      }
    }
    assertThat(Files.exists(file) ? Files.readString(file) : "").as(name).isEqualTo(text);
  }

  /** One step a line; the hash of the rules would change with every rule. */
  private static List<String> patch(Admission outcome) {
    if (!(outcome instanceof Allowed allowed) || allowed.edits().isEmpty()) {
      return List.of();
    }
    var lines = new ArrayList<String>();
    var steps = allowed.patch().stream().map(PatchJson::of).map(JsonNode::toString);
    lines.add("[");
    lines.add(" " + String.join(",\n ", steps.toList()).replaceAll(STAMP, "@STAMP"));
    lines.add("]");
    return lines;
  }

  private static List<String> warnings(Admission outcome) {
    return outcome instanceof Allowed allowed ? allowed.warnings() : List.of();
  }

  private static List<String> refusal(Admission outcome) {
    return outcome instanceof Denied denied
        ? List.of(denied.code() + " " + denied.message())
        : List.of();
  }
}
