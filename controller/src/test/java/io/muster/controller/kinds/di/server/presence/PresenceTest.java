package io.muster.controller.kinds.di.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.muster.controller.port.JobController;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Processes that serve under the same names, in virtual time. */
final class PresenceTest {

  private static final ServingProcess ONE = new ServingProcess("muster-1", "10.0.0.1", 8091);
  private static final ServingProcess TWO = new ServingProcess("muster-2", "10.0.0.2", 8091);
  private static final String FIRST = "di-server-muster-1";
  private static final String SECOND = "di-server-muster-2";

  private final PlayedNames names = new PlayedNames();
  private final Set<ServingProcess> answering = new HashSet<>(Set.of(ONE, TWO));
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Presence one = presence(ONE);
  private final Presence two = presence(TWO);

  private Presence presence(ServingProcess self) {
    return new Presence(
        names,
        self,
        other -> CompletableFuture.completedFuture(answering.contains(other)),
        () -> now);
  }

  private void check(Presence... processes) {
    for (var process : processes) {
      process.check();
    }
    now = now.plus(Presence.ROUND);
  }

  private void check(int times, Presence... processes) {
    for (int i = 0; i < times; i++) {
      check(processes);
    }
  }

  @Test
  void eachProcessStandsUnderEachNameWithItsOwnAddress() {
    check(one, two);
    assertThat(names.slices.keySet())
        .containsExactly(FIRST, SECOND, "ding-server-muster-1", "ding-server-muster-2");
    var slice = names.slices.get(SECOND);
    assertThat(ServingProcess.of(slice)).contains(TWO);
    assertThat(slice.getMetadata().getLabels())
        .containsEntry("kubernetes.io/service-name", "di-server");
    assertThat(slice.getPorts()).extracting("name").containsExactly("http-8080", "http-8081");
    assertThat(names.ready()).containsExactlyElementsOf(names.slices.keySet());
  }

  @Test
  void nothingIsWrittenWhileAllAnswer() {
    check(2, one, two);
    names.writes = 0;
    check(100, one, two);
    assertThat(names.writes).isZero();
  }

  @Test
  void whoDiesIsTurnedAwayAfterThreeSilencesThoughNobodyLeads() {
    check(2, one, two);
    answering.remove(ONE);
    check(2, two);
    assertThat(names.ready()).as("twice may be chance").contains(FIRST);
    check(1, two);
    assertThat(names.ready()).containsExactly(SECOND, "ding-server-muster-2");
  }

  @Test
  void whoComesBackPutsItselfBack() {
    check(2, one, two);
    answering.remove(ONE);
    check(3, two);
    answering.add(ONE);
    now = now.plus(Presence.WRITTEN_APART);
    check(one, two);
    assertThat(names.ready()).contains(FIRST, SECOND);
  }

  @Test
  void twoThatCannotHearEachOtherAreNeverBothAway() {
    check(2, one, two);
    answering.clear();
    for (int round = 0; round < 100; round++) {
      check(one, two);
      assertThat(names.ready()).as("round " + round).isNotEmpty();
    }
    assertThat(names.writes).as("in 50 s").isLessThan(60);
  }

  @Test
  void anOrderlyEndTakesItsSlicesAwayAndDoesNotBringThemBack() {
    check(2, one, two);
    one.leave();
    check(3, one, two);
    assertThat(names.slices.keySet()).containsExactly(SECOND, "ding-server-muster-2");
  }

  @Test
  void whereAServiceIsAnothersNobodyIsLedHere() {
    check(2, one, two);
    names.standings.replaceAll((_, _) -> NameStore.Standing.ANOTHERS);
    now = now.plus(Presence.WRITTEN_APART);
    check(2, one, two);
    assertThat(names.slices).isEmpty();
  }

  @Test
  void whoeverLeadsMakesTheServicesAndRemovesWhatTheDeadLeft() throws Exception {
    names.standings.replaceAll((_, _) -> NameStore.Standing.ABSENT);
    var leader = new ServerServices(names, new Nothing(), () -> now);
    check(one, two);
    assertThat(names.slices).as("no Service, nobody to lead").isEmpty();
    leader.tick();
    check(2, one, two);
    assertThat(names.slices).hasSize(4);

    answering.remove(ONE);
    check(3, two);
    leader.tick();
    now = now.plus(ServerServices.LEFT_BEHIND.minus(Duration.ofSeconds(1)));
    leader.tick();
    assertThat(names.slices).hasSize(4);
    now = now.plus(Duration.ofSeconds(1));
    leader.tick();
    assertThat(names.slices.keySet()).containsExactly(SECOND, "ding-server-muster-2");
  }

  @Test
  void anAddressAtWhichAnotherProcessAnswersNowIsALeftover() {
    var before = new ServingProcess("muster-0", TWO.address(), TWO.port());
    names.put(ServerName.ALL.getFirst().slice(before));
    check(4, one, two);
    assertThat(names.ready()).contains(FIRST, SECOND).doesNotContain("di-server-muster-0");
  }

  /** A controller of jobs that there are none of. */
  private record Nothing() implements JobController {

    @Override
    public void start() {}

    @Override
    public void tick() {}

    @Override
    public void close() {}
  }

  /** The names as the API server would have them, seen at once. */
  private static final class PlayedNames implements NameStore {

    final Map<String, EndpointSlice> slices = new TreeMap<>();
    final Map<ServerName, Standing> standings = new HashMap<>();
    int writes;

    PlayedNames() {
      ServerName.ALL.forEach(name -> standings.put(name, Standing.MUSTERS));
    }

    List<String> ready() {
      return slices.values().stream()
          .filter(ServingProcess::isReady)
          .map(slice -> slice.getMetadata().getName())
          .toList();
    }

    @Override
    public void start() {}

    @Override
    public Standing standing(ServerName name) {
      return standings.get(name);
    }

    @Override
    public List<EndpointSlice> slices(ServerName name) {
      return slices.values().stream()
          .filter(slice -> slice.getMetadata().getNamespace().equals(name.namespace()))
          .toList();
    }

    @Override
    public void make(ServerName name) {
      writes++;
      standings.put(name, Standing.MUSTERS);
    }

    @Override
    public void put(EndpointSlice slice) {
      writes++;
      var name = slice.getMetadata().getName();
      slices.put(
          name, new EndpointSliceBuilder(slice).editMetadata().withUid(name).endMetadata().build());
    }

    @Override
    public void turnAway(EndpointSlice seen) {
      writes++;
      slices.put(
          seen.getMetadata().getName(),
          new EndpointSliceBuilder(seen)
              .editFirstEndpoint()
              .withNewConditions()
              .withReady(false)
              .endConditions()
              .endEndpoint()
              .build());
    }

    @Override
    public void delete(EndpointSlice slice) {
      writes++;
      slices.remove(slice.getMetadata().getName());
    }

    @Override
    public void close() {}
  }
}
