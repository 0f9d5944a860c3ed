package io.muster.extender.kube.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QueuesReadingTest {

  @Test
  void readsEveryField() throws InvalidQueuesException {
    var queues =
        QueuesReading.read(
            """
            queues:
            - name: speech
              weight: 2
              gpus: 64
              limit: 96
              order: shortest-gang
              preemption: true
              runTime: 4h
              runTimeLimit: 24h
              ageing: 36h
              namespaces: [speech, asr]
            - name: patient
              ageing: never
            """);

    assertThat(queues)
        .isEqualTo(
            new Queues(
                List.of(
                    new Queue(
                        "speech",
                        2,
                        Optional.of(64L),
                        Optional.of(96L),
                        Order.SHORTEST_GANG,
                        true,
                        Optional.of(Duration.ofHours(4)),
                        Optional.of(Duration.ofHours(24)),
                        Optional.of(Duration.ofHours(36)),
                        Set.of("speech", "asr")),
                    new Queue(
                        "patient",
                        1,
                        Optional.empty(),
                        Optional.empty(),
                        Order.PRIORITY,
                        false,
                        Optional.empty(),
                        Optional.of(Queue.NEVER),
                        Set.of()))));
    assertThat(queues.arePlain()).isFalse();
  }

  @Test
  void severalQueuesMayBeOpenToAll() throws InvalidQueuesException {
    var queues =
        QueuesReading.read(
            "queues: [{name: a, namespaces: [x, '*']}, {name: b, namespaces: ['*']}]");
    assertThat(queues.open("y")).containsExactly("a", "b", "default");
    assertThat(queues.nameFor("x", Optional.empty())).isEqualTo("a");
    assertThat(queues.nameFor("y", Optional.empty())).isEqualTo("default");
  }

  @Test
  void anEmptyDocumentIsTheDefaultQueueAlone() throws InvalidQueuesException {
    assertThat(QueuesReading.read("").arePlain()).isTrue();
    assertThat(QueuesReading.read("queues: []").arePlain()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "queues: 5 | the document must have one field, queues, with a list",
        "line: []  | the document must have one field, queues, with a list",
        "queues: [5] | queues[0]: must be a map with a name",
        "queues: [{name: a}, {name: a}] | queues[1].name: \"a\" is the name of another queue",
        "queues: [{name: a, gpu: 1}] | queues[0].gpu: no such field; there are ageing, gpus, limit,"
            + " name, namespaces, order, preemption, runTime, runTimeLimit, weight",
        "queues: [{name: a, gpus: -1}] | queues[0].gpus: must be an integer from 0 to 10000000, not"
            + " -1",
        "queues: [{name: a, gpus: 1.5}] | queues[0].gpus: must be an integer from 0 to 10000000, not"
            + " 1.5",
        "queues: [{name: a, weight: 0}] | queues[0].weight: must be an integer from 1 to 1000, not 0",
        "queues: [{name: a, gpus: 4, limit: 2}] | queues[0].limit: 2 is less than gpus, 4",
        "queues: [{name: a, order: fifo}] | queues[0].order: must be one of priority, shortest-gang,"
            + " least-attained, not \"fifo\"",
        "queues: [{name: a, preemption: yes please}] | queues[0].preemption: must be true or false,"
            + " not \"yes please\"",
        "queues: [{name: a, preemption: true}] | queues[0].preemption: goes with order shortest-gang"
            + " or least-attained; gangs of higher priority end others without it",
        "queues: [{name: a, runTime: soon}] | queues[0].runTime: must be a duration above 0, like"
            + " 90m, not \"soon\"",
        "queues: [{name: a, ageing: 0s}] | queues[0].ageing: must be a duration above 0, like 12h,"
            + " or never, not \"0s\"",
        "queues: [{name: a, namespaces: x}] | queues[0].namespaces: must be a list of at most 5000"
            + " names",
        "'queues: [{name: a, namespaces: [x]}, {name: b, namespaces: [x]}]' |"
            + " queues[1].namespaces: x is in queue \"a\" already"
      })
  void whatIsWrongIsSaidByField(String document, String problem) {
    var refused =
        catchThrowableOfType(InvalidQueuesException.class, () -> QueuesReading.read(document));
    assertThat(refused.problems()).containsExactly(problem);
  }

  @Test
  void whatIsNoYamlIsSaidByLine() {
    var refused =
        catchThrowableOfType(
            InvalidQueuesException.class, () -> QueuesReading.read("queues:\n- {name: a"));
    assertThat(refused.problems()).singleElement().asString().startsWith("line ");
  }
}
