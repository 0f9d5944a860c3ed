package io.muster.extender.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.bench.Racks.Victim;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who ends for a gang that needs a rack. */
final class RacksTest {

  @ParameterizedTest
  @ValueSource(ints = {60, 200, 400})
  void wholeGangsEndAndEachOfThemIsInTheWayInOneRack(int nodes) {
    check(Racks.preempt(nodes, nodes * 7 / 20));
  }

  @Test
  void soDoTheyWhereTheyAreLookedForInSlices() {
    check(Racks.preempt(1_000, 350));
  }

  @Test
  void andWhereOthersComeAndGoMeanwhile() {
    check(Racks.preempt(1_000, 350, 0, true));
  }

  private static void check(Racks.Preempted preempted) {
    var victims = preempted.victims();
    assertThat(preempted.ended()).isNotEmpty();
    var gangs = gangs(victims, preempted.ended());
    assertThat(preempted.ended())
        .as("gangs end as a whole")
        .isEqualTo(
            victims.entrySet().stream()
                .filter(victim -> gangs.contains(victim.getValue().gang()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet()));
    var racks =
        victims.values().stream()
            .map(Victim::rack)
            .distinct()
            .filter(rack ->
                members(victims, gangs, rack).values().stream().mapToLong(n -> n).sum()
                    >= Racks.SEGMENT)
            .toList();
    assertThat(racks).hasSize(1);
    var members = members(victims, gangs, racks.getFirst());
    assertThat(members.keySet()).as("nobody ends for nothing").isEqualTo(gangs);
    long freed = members.values().stream().mapToLong(n -> n).sum();
    assertThat(members.values()).allMatch(own -> freed - own < Racks.SEGMENT);
  }

  @Test
  void aGangBehindManyThatNobodyCanHelpHasItsTurn() {
    assertThat(Racks.preempt(400, 140, 150, false).ended()).isNotEmpty();
  }

  private static Set<String> gangs(Map<String, Victim> victims, Set<String> ended) {
    return ended.stream().map(uid -> victims.get(uid).gang()).collect(Collectors.toSet());
  }

  /** Nodes of that rack by the gang. */
  private static Map<String, Long> members(
      Map<String, Victim> victims, Set<String> gangs, int rack) {
    return victims.values().stream()
        .filter(victim -> victim.rack() == rack && gangs.contains(victim.gang()))
        .collect(Collectors.groupingBy(Victim::gang, Collectors.counting()));
  }
}
