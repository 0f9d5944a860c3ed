package io.muster.controller.kinds.di.server.worker;

import io.muster.controller.kinds.di.coordinator.WorkerRequest;
import io.muster.controller.kinds.di.coordinator.WorkerRequest.Part;
import io.muster.controller.kinds.di.server.call.Fields;
import io.muster.controller.kinds.di.server.call.RefusedException;
import io.muster.controller.kube.Digest;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many collectors and learners of what size somebody asks for, or gives back. Immutable.
 *
 * @param coordinator the name of its pod
 * @param gpus of each learner; 0 if the template says how many
 */
public record WorkerAsk(
    String namespace, String coordinator, Part collectors, Part learners, int gpus) {

  private static final String COLLECTORS = "collectors";
  private static final String LEARNERS = "learners";

  /** Reads the body of a call. */
  static WorkerAsk of(byte[] body) {
    var fields = Fields.of(body);
    var learners = fields.inner(LEARNERS);
    var ask =
        new WorkerAsk(
            fields.text("namespace"),
            fields.text("coordinator"),
            part(fields.inner(COLLECTORS)),
            part(learners),
            gpus(learners));
    if (ask.gpus() > 1 && ask.learners().replicas() > WorkerRequest.MOST_SETS) {
      throw RefusedException.malformed(
          "learners.replicas must be at most %d where each has several GPUs"
              .formatted(WorkerRequest.MOST_SETS));
    }
    return ask;
  }

  private static Part part(Fields fields) {
    var resources = new TreeMap<String, String>();
    fields.quantity("cpus").ifPresent(quantity -> resources.put("cpu", quantity));
    fields.quantity("memory").ifPresent(quantity -> resources.put("memory", quantity));
    int gpus = gpus(fields);
    if (gpus > 0) {
      resources.put(WorkerRequest.GPU, Integer.toString(gpus));
    }
    return new Part(fields.count("replicas", 0, WorkerRequest.MOST).orElse(0), resources);
  }

  private static int gpus(Fields fields) {
    return fields
        .quantity("gpus")
        .map(quantity -> {
          var amount = Fields.amount(quantity).stripTrailingZeros();
          if (amount.scale() > 0
              || amount.intValue() < 1
              || amount.longValue() > WorkerRequest.MOST_GPUS) {
            throw RefusedException.malformed(
                fields.path() + "gpus must be a whole number from 0 to " + WorkerRequest.MOST_GPUS);
          }
          return amount.intValue();
        })
        .orElse(0);
  }

  boolean isForNothing() {
    return collectors.replicas() + learners.replicas() == 0;
  }

  /** Whether each learner is an aggregator with pods behind it. */
  boolean needsAggregator() {
    return gpus > 1 && learners.replicas() > 0;
  }

  /** The same for all bodies that ask for the same. */
  String hash() {
    return Digest.shortOf(written(collectors) + ";" + written(learners));
  }

  private static String written(Part part) {
    if (part.replicas() == 0) {
      return "0";
    }
    var amounts = new TreeMap<String, String>();
    for (Map.Entry<String, String> resource : part.resources().entrySet()) {
      amounts.put(
          resource.getKey(), Fields.amount(resource.getValue()).stripTrailingZeros().toString());
    }
    return part.replicas() + amounts.toString();
  }
}
