package io.muster.controller.kube.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SignalTableTest {

  private static final SignalTable BUILT_IN = SignalTable.builtIn();

  private static Node node(String rest) {
    return Serialization.unmarshal("---\n{metadata: {name: n%s".formatted(rest), Node.class);
  }

  private static Node conditioned(String type, String status, String message) {
    return node(
        "}, status: {conditions: [{type: %s, status: \"%s\", message: \"%s\"}]}}"
            .formatted(type, status, message));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "aws-node-termination-handler/spot-itn",
        "aws-node-termination-handler/scheduled-maintenance",
        "aws-node-termination-handler/asg-lifecycle-termination",
        "karpenter.sh/disrupted",
        "cloud.google.com/impending-node-termination",
        "ToBeDeletedByClusterAutoscaler",
        "node.kubernetes.io/out-of-service"
      })
  void aNodeWithATaintOfTheTableGoes(String key) {
    var node = node("}, spec: {taints: [{key: %s, effect: NoSchedule}]}}".formatted(key));
    assertThat(BUILT_IN.in(node)).containsExactly(new Signal.Given(Optional.empty()));
  }

  @Test
  void otherTaintsCordonsAndConditionsLeaveANodeWhereItIs() {
    assertThat(BUILT_IN.in(node("}}"))).isEmpty();
    assertThat(BUILT_IN.in(node("}, spec: {taints: [{key: dedicated}], unschedulable: true}}")))
        .isEmpty();
    assertThat(BUILT_IN.in(conditioned("InstanceExpired", "False", ""))).isEmpty();
    assertThat(
            BUILT_IN.in(
                conditioned(
                    "VMEventScheduled", "True", "Reboot Scheduled: Mon, 02 Mar 2026 19:01:45 GMT")))
        .isEmpty();
  }

  @Test
  void aConditionOfTheTableCountsWhileItIsTrue() {
    assertThat(BUILT_IN.in(conditioned("InstanceExpired", "True", "InstanceToBeTerminated")))
        .hasSize(1);
  }

  @Test
  void theTimeOfTheReleaseIsReadWhereItIsSaid() {
    assertThat(
            BUILT_IN.in(
                conditioned(
                    "VMEventScheduled",
                    "True",
                    "Preempt Scheduled: Mon, 02 Mar 2026 19:01:45 GMT")))
        .containsExactly(new Signal.Given(Optional.of(Instant.parse("2026-03-02T19:01:45Z"))));
    for (var text : new String[] {"2026-03-02T20:01:45+01:00", "1772478105"}) {
      assertThat(
              BUILT_IN.in(node(", annotations: {muster.io/release-at: \"%s\"}}}".formatted(text))))
          .containsExactly(new Signal.Given(Optional.of(Instant.parse("2026-03-02T19:01:45Z"))));
    }
  }

  @Test
  void aTimeThatCannotBeReadIsASignalWithoutATime() {
    assertThat(BUILT_IN.in(node(", annotations: {muster.io/release-at: soon}}}")))
        .containsExactly(new Signal.Given(Optional.empty()));
  }

  @Test
  void aTableOfOnesOwnTakesItsPlace() {
    var own = SignalTable.of("signals:\n- unschedulable: true\n- taint: my/taint\n");
    assertThat(own.in(node("}, spec: {unschedulable: true, taints: [{key: my/taint}]}}")))
        .hasSize(2);
    assertThat(own.in(node("}, spec: {taints: [{key: karpenter.sh/disrupted}]}}"))).isEmpty();
    assertThat(own.spotLabels()).isEmpty();
  }

  @Test
  void namesEveryProblemOfATable() {
    assertThatThrownBy(() ->
            SignalTable.of(
                """
                signals:
                - {taint: a, condition: b}
                - {}
                - {taint: a, messageStart: b}
                - {unschedulable: true, saysWhen: true}
                - {annotation: ""}
                spotLabels:
                - {key: a}
                """))
        .hasMessage(
            "signals[0] needs one of taint, condition, annotation and unschedulable: true, and only"
                + " one; signals[1] needs one of taint, condition, annotation and unschedulable:"
                + " true, and only one; signals[2] has a messageStart, which only conditions have;"
                + " signals[3] has saysWhen, but a cordon bears no time; signals[4] has an empty"
                + " name; spotLabels[0] needs a key and a list of values");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'signals: [{tain: a}]' | signals[0].tain is not a field; there are [annotation, condition,",
        "'signal: []' | signal is not a field; there are [signals, spotLabels]",
        "'signals: 3' | signals has a wrong form",
        "'[]' | it has a wrong form",
        "'' | it has a wrong form",
        "'null' | it has a wrong form",
        "'a: [' | it is no YAML"
      })
  void saysWhatIsWrongWithAFileThatIsNoTable(String text, String problem) {
    assertThatThrownBy(() -> SignalTable.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(problem);
  }
}
