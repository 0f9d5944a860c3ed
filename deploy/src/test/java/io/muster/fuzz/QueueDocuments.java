package io.muster.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.extender.kube.convert.QueuesReading;
import java.util.LinkedHashSet;

/** Documents of queues, as an administrator writes them into a ConfigMap. */
final class QueueDocuments {

  private final JsonNode good = Corpus.queues();

  void check(long seed) {
    var mutator = new Mutator(seed);
    var broken = mutator.broken(good);
    boolean isTorn = mutator.chance(20);
    var text = isTorn ? new String(mutator.torn(broken), UTF_8) : broken.toString();
    try {
      QueuesReading.read(text);
    } catch (InvalidQueuesException e) {
      if (isTorn) {
        return;
      }
      var fields = new LinkedHashSet<>(mutator.touched());
      // A queue may lack what a broken field of it said.
      fields.add("queues");
      e.problems().stream()
          .filter(problem -> !problem.matches("line \\d+: no valid YAML: .+"))
          .forEach(problem -> Refusals.checkNames(fields, problem));
    }
  }
}
