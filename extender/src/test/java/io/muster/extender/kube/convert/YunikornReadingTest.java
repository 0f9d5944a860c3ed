package io.muster.extender.kube.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Terms;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class YunikornReadingTest {

  private static final String PREFIX = "yunikorn.apache.org/";
  private static final Map<String, String> APP = Map.of("applicationId", "spark-1");

  @Test
  void anApplicationsTaskGroupsAreTheRolesOfItsGang() {
    var groups =
        "[{\"name\": \"driver\", \"minMember\": 1}, {\"name\": \"executor\", \"minMember\": 4}]";
    var member = YunikornReading.read(markings(groups, "executor")).orElseThrow();

    assertThat(member.gang()).hasToString("ml/spark-1");
    assertThat(member.role()).isEqualTo("executor");
    assertThat(member.terms())
        .isInstanceOfSatisfying(
            Terms.Usable.class,
            terms -> {
              assertThat(terms.minAvailable()).isEqualTo(5);
              assertThat(terms.roles()).isEqualTo(Map.of("driver", 1, "executor", 4));
              assertThat(terms.mode()).isEqualTo(Terms.Mode.NON_STRICT);
            });
  }

  @Test
  void laterPodsLeaveTheGroupsToTheFirst() {
    assertThat(YunikornReading.read(markings("", "executor")).orElseThrow().terms())
        .isInstanceOf(Terms.Unusable.class);
  }

  @ParameterizedTest(name = "A11-15 {0}")
  @ValueSource(
      strings = {
        "[{\"name\": \"a\", \"minMember\": 0}]",
        "[{\"minMember\": 2}]",
        "[]",
        "{}",
        "[{\"name\": \"a\"",
        "[{\"name\": \"a\", \"minMember\": 5001}]",
        "[{\"name\": \"a\", \"minMember\": 2}, {\"name\": \"a\", \"minMember\": 2}]"
      })
  void groupsThatYunikornRefusesAreNoGang(String groups) {
    assertThat(YunikornReading.read(markings(groups, ""))).isEmpty();
  }

  @Test
  void placeholdersAndPodsOfNoApplicationAreNoMembers() {
    var groups = "[{\"name\": \"a\", \"minMember\": 2}]";
    var annotations = Map.of(PREFIX + "task-groups", groups);
    var placeholder = new HashMap<>(annotations);
    placeholder.put("internal.yunikorn.apache.org/placeholder", "true");

    assertThat(YunikornReading.read(new Markings("ml", APP, placeholder))).isEmpty();
    assertThat(YunikornReading.read(new Markings("ml", Map.of(), annotations))).isEmpty();
    assertThat(YunikornReading.read(new Markings("ml", APP, annotations))).isPresent();
  }

  private static Markings markings(String groups, String group) {
    var annotations = new HashMap<String, String>();
    if (!groups.isEmpty()) {
      annotations.put(PREFIX + "task-groups", groups);
    }
    if (!group.isEmpty()) {
      annotations.put(PREFIX + "task-group-name", group);
    }
    return new Markings("ml", APP, annotations);
  }
}
