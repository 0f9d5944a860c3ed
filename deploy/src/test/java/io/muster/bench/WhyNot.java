package io.muster.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * A gang of 80 GPUs on 500 nodes that are all full: how soon after its last member was created its
 * Gang object says why it waits.
 */
final class WhyNot {

  private static final int NODES = 500;
  private static final int MEMBERS = 80;
  private static final double BAR_SECONDS = 1;
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final ObjectMapper JSON = new ObjectMapper();

  Verdict measure(Pairs.Plan plan) {
    var times = new ArrayList<Double>();
    try (var arena = Arena.with(NODES)) {
      arena.fill(NODES, 1, NodeShape.GPU8.gpus());
      arena.turnTo(Side.MUSTER);
      for (int i = -plan.warmUps(); i < plan.pairs(); i++) {
        double took = once(arena);
        if (i >= 0) {
          times.add(took);
        }
      }
    }
    System.out.printf("%n  seconds until the reason: %s%n", times);
    double median = Verdict.median(times);
    return new Verdict(
        "verdict",
        "s",
        Verdict.LOWER,
        new EnumMap<>(Map.of(Side.MUSTER, median)),
        OptionalDouble.empty(),
        "muster < " + BAR_SECONDS,
        Optional.of(median < BAR_SECONDS),
        Map.of("longest", times.stream().mapToDouble(Double::doubleValue).max().orElseThrow()));
  }

  private static double once(Arena arena) {
    var said = new AtomicLong();
    double took;
    try (var gangs = arena.api().watch(Manifests.GANGS + "?watch=1");
        var round = new Round(arena, Work.single("full", MEMBERS, 1))) {
      Thread.ofPlatform().daemon().name("gang-watch").start(() -> read(gangs, said));
      round.create(Manifests.DEFAULT_SCHEDULER);
      Await.until("the reason", LIMIT, () -> said.get() != 0);
      // The reason may stand before the last member is there.
      took = Math.max(0, Round.seconds(round.allCreated(), said.get()));
      if (round.watch().boundCount() > 0) {
        throw new SandboxException("a member was bound on a full cluster");
      }
    }
    arena.clean();
    return took;
  }

  private static void read(Stream<String> gangs, AtomicLong said) {
    try {
      gangs.forEach(line -> {
        if (says(line)) {
          said.compareAndSet(0, System.nanoTime());
        }
      });
    } catch (UncheckedIOException e) {
      // Closed: the reason has been seen, or is waited for in vain.
      return;
    }
  }

  private static boolean says(String line) {
    try {
      var event = JSON.readTree(line);
      return List.of("ADDED", "MODIFIED").contains(event.path("type").asText())
          && !event.path("object").path("status").path("reason").asText().isEmpty()
          && event
              .path("object")
              .path("status")
              .path("message")
              .asText()
              .contains("Insufficient nvidia.com/gpu");
    } catch (IOException e) {
      throw new SandboxException("The watch sent what is no JSON: " + line, e);
    }
  }
}
