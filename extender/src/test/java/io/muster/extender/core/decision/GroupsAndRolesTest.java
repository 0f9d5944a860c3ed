package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gangs that start together as one, and gangs that need some of each role. */
final class GroupsAndRolesTest extends GangScenes {

  private ClusterSimulation cluster(NodePinPolicy pins) {
    var fresh = new ClusterSimulation(3, Rules.extender(pins));
    for (int i = 0; i < 6; i++) {
      fresh.addNode(aNode("n" + i).gpus(1).build());
    }
    fresh.runUntil(seconds(1));
    return fresh;
  }

  private static void create(
      ClusterSimulation cluster, String gang, Terms.Usable terms, String role, int from, int to) {
    for (int i = from; i < to; i++) {
      cluster.create(
          aPod("ml", gang + "-" + role + i)
              .gpus(1)
              .gang(gang, terms, role)
              .createdAt(cluster.now())
              .build());
    }
  }

  /** The group goes by the name of another of its gangs. */
  @Test
  void theObjectOfAnyGangOfAGroupIsWrittenAgainOnceItIsDeleted() {
    var group = cluster(NodePinPolicy.ALWAYS);
    create(group, "a", terms("a", 2).with("b").build(), "", 0, 2);
    create(group, "b", terms("b", 2).with("a").build(), "", 0, 2);
    group.runUntil(seconds(60));
    var before = Map.copyOf(group.records);
    assertThat(before).hasSize(2);
    for (var gang : before.keySet()) {
      group.deleteRecord(gang);
      group.runUntil(group.sinceStart().plus(seconds(10)));
      assertThat(group.records).as("once %s was deleted", gang).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void aGroupStartsOnlyWhenAllItsGangsCan(NodePinPolicy pins) {
    var group = cluster(pins);
    var a = terms("a", 2).with("b").build();
    var b = terms("b", 3).with("a").build();
    create(group, "a", a, "", 0, 2);
    group.runUntil(seconds(20));
    assertThat(group.boundOf("a")).isZero();
    assertThat(group.report("a").reason()).isEqualTo(Reason.GANGS_MISSING);
    assertThat(group.report("a").message()).contains("ml/b");

    create(group, "b", b, "", 0, 2);
    group.runUntil(seconds(40));
    assertThat(group.boundOf("a") + group.boundOf("b")).isZero();
    create(group, "b", b, "", 2, 3);
    group.runUntil(seconds(60));
    assertThat(group.boundOf("a")).isEqualTo(2);
    assertThat(group.boundOf("b")).isEqualTo(3);
    assertThat(group.report("a").bound()).isEqualTo(2);
    assertThat(group.report("b").bound()).isEqualTo(3);
    assertThat(group.report("b").phase()).isEqualTo(Phase.RUNNING);
    assertThat(group.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void twoGroupsMadeInTurnsDoNotTakeHalfOfTheClusterEach(NodePinPolicy pins) {
    var groups = cluster(pins);
    var a = terms("a", 2).with("b").build();
    var b = terms("b", 2).with("a").build();
    var c = terms("c", 2).with("d").build();
    var d = terms("d", 2).with("c").build();
    create(groups, "a", a, "", 0, 2);
    create(groups, "c", c, "", 0, 2);
    create(groups, "b", b, "", 0, 2);
    create(groups, "d", d, "", 0, 2);
    groups.runUntil(seconds(60));
    assertThat(groups.boundOf("a") + groups.boundOf("b")).isIn(0L, 4L);
    assertThat(groups.boundOf("c") + groups.boundOf("d")).isIn(0L, 4L);
    assertThat(groups.boundOf("a") + groups.boundOf("c")).isEqualTo(2);
    groups.pods.keySet().stream()
        .filter(uid -> groups.pods.get(uid).isBound())
        .toList()
        .forEach(groups::complete);
    groups.runUntil(seconds(120));
    assertThat(groups.pods.values()).allMatch(pod -> pod.isBound());
    assertThat(groups.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void aGroupCutOffInItsBurstIsCompletedFromOneRecord(NodePinPolicy pins) {
    var group = cluster(pins);
    var a = terms("a", 3).with("b").build();
    var b = terms("b", 3).with("a").build();
    create(group, "a", a, "", 0, 3);
    create(group, "b", b, "", 0, 3);
    for (int i = 0; i < 20_000 && group.boundOf("a") + group.boundOf("b") == 0; i++) {
      group.runUntil(seconds(1).plusMillis(i));
    }
    assertThat(group.boundOf("a") + group.boundOf("b")).isBetween(1L, 5L);
    group.restartAfter(seconds(1));
    group.runUntil(seconds(60));
    assertThat(group.boundOf("a")).isEqualTo(3);
    assertThat(group.boundOf("b")).isEqualTo(3);
    assertThat(group.records.values().stream().filter(record -> !record.placement().isEmpty()))
        .hasSize(1);
    assertThat(group.report("b").phase()).isEqualTo(Phase.RUNNING);
    assertThat(group.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void aGangThatAnotherNamesWithoutItsConsentStartsAlone(NodePinPolicy pins) {
    var cluster = cluster(pins);
    create(cluster, "z", terms("z", 1).with("a").build(), "", 0, 1);
    create(cluster, "a", terms("a", 2).build(), "", 0, 2);
    cluster.runUntil(seconds(30));
    assertThat(cluster.boundOf("a")).isEqualTo(2);
    assertThat(cluster.boundOf("z")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void workersDoNotStartWithoutTheirMaster(NodePinPolicy pins) {
    var cluster = cluster(pins);
    var roles = terms("g", 3).role("master", 1).build();
    create(cluster, "g", roles, "worker", 0, 5);
    cluster.runUntil(seconds(30));
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.MEMBERS_MISSING);
    assertThat(cluster.report("g").message()).contains("roles");

    create(cluster, "g", roles, "master", 0, 1);
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundNames("g")).contains("g-master0").hasSize(6);
    assertThat(cluster.faults).isEmpty();
  }
}
