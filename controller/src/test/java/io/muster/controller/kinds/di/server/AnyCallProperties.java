package io.muster.controller.kinds.di.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomGenerator;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple4;

/**
 * Whatever is sent to whichever URL is answered in the one form, and only what is right is done. A
 * build sends the same calls each time; {@code -Dmuster.fuzz.tries=N} sends so many, and {@code
 * -Dmuster.fuzz.first=N} others. A failure names its call by its number.
 */
final class AnyCallProperties {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final int MOST = 100_000_000;
  private static final long TRIES = Long.getLong("muster.fuzz.tries", 500);
  private static final long FIRST = Long.getLong("muster.fuzz.first", 0);

  private final RandomGenerator<Tuple4<String, String, String, String>> calls =
      calls().generator(1_000);

  @Provide
  Arbitrary<Long> numbers() {
    return Arbitraries.longs().between(FIRST, FIRST + TRIES - 1);
  }

  private static Arbitrary<Tuple4<String, String, String, String>> calls() {
    return Combinators.combine(
            Arbitraries.of("GET", "POST", "DELETE", "PATCH", "PUT", "BREW"),
            paths(),
            queries(),
            bodies())
        .as(Tuple::of);
  }

  private static Arbitrary<String> paths() {
    return Arbitraries.oneOf(
        Arbitraries.of(
            "/v1alpha1/replicas",
            "/v1alpha1/replicas/failed",
            "/v2alpha1/job/ml.qbert/replicas",
            "/v2alpha1/job/ml.tasks.0/replicas",
            "/v2alpha1/ml%2Ftasks/replicas",
            "/v2alpha1/job/ml.tasks/profilings"),
        Arbitraries.strings().ofMaxLength(8).map(id -> "/v2alpha1/job/" + id + "/replicas"),
        Arbitraries.strings().ofMaxLength(12).map(path -> "/" + path));
  }

  private static Arbitrary<String> queries() {
    return Arbitraries.oneOf(
        Arbitraries.of(
            "",
            "namespace=ml",
            "NameSpace=ml&coordinator=qbert-coordinator",
            "namespace=ml&name=x",
            "namespace=%zz",
            "namespace=ml&aggregator=qbert-coordinator"),
        Arbitraries.strings().ofMaxLength(20),
        Arbitraries.strings().ofMaxLength(10).map(value -> "namespace=ml&coordinator=" + value));
  }

  private static Arbitrary<String> bodies() {
    var value =
        Arbitraries.oneOf(
            Arbitraries.of(
                "null",
                "{}",
                "[]",
                "0",
                "-1",
                "1",
                "2",
                "1e9",
                "1e999",
                "true",
                "\"1\"",
                "\"\"",
                "\"8Gi\"",
                "\"1e99\"",
                "0.5",
                "99999999999999999999",
                "\"qbert-coordinator\"",
                "[\"qbert-coordinator\"]",
                "[1]",
                "{\"replicas\":1}",
                "{\"replicas\":-1}",
                "{\"replicas\":1,\"gpus\":1.5}",
                "{\"replicas\":1,\"gpus\":\"9\"}",
                "{\"replicas\":\"1\"}",
                "{\"replicas\":1,\"memory\":{}}"),
            Arbitraries.strings().ascii().ofMaxLength(6));
    var field =
        Combinators.combine(
                Arbitraries.of(
                    "namespace", "coordinator", "collectors", "LEARNERS", "replicas", "data", "x"),
                value)
            .as((name, of) -> "\"" + name + "\":" + of);
    var object =
        Combinators.combine(
                Arbitraries.of("", "\"namespace\":\"ml\",\"coordinator\":\"qbert-coordinator\","),
                field.list().ofMinSize(1).ofMaxSize(3))
            .as((known, fields) -> "{" + known + String.join(",", fields) + "}");
    return Arbitraries.oneOf(object, Arbitraries.strings().ofMaxLength(20), value);
  }

  @Property(tries = MOST, generation = GenerationMode.EXHAUSTIVE, shrinking = ShrinkingMode.OFF)
  void everyCallIsAnsweredInTheOneForm(@ForAll("numbers") long number) throws IOException {
    // Seeds that are close to each other begin alike.
    var random = new Random(number * 0x9e3779b97f4a7c15L);
    var call = calls.next(random).value();
    var cluster =
        new PlayedCluster(random.nextBoolean() ? PlayedCluster.TASKS : PlayedCluster.COORDINATED);
    cluster.run();
    var before = cluster.writes;
    var answer =
        cluster.ask(
            cluster.server(),
            PlayedCluster.call(call.get1(), call.get2(), call.get3(), call.get4()));
    cluster.run();
    cluster.pass(Duration.ofSeconds(10));

    assertThat(answer).isCompleted();
    var reply = answer.join();
    assertThat(reply.status()).isNotEqualTo(500).isIn(200, 400, 404, 413, 501);
    var envelope = JSON.readTree(reply.body());
    assertThat(envelope.properties())
        .extracting(Map.Entry::getKey)
        .containsExactly("success", "code", "message", "data");
    assertThat(envelope.get("code").intValue()).isEqualTo(reply.isSuccess() ? 0 : 1);
    assertThat(reply.message()).isNotBlank().doesNotContain("Exception", "io.muster");
    if (!reply.isSuccess()) {
      assertThat(cluster.writes).as("of a refused call nothing is written").isEqualTo(before);
    }
  }
}
