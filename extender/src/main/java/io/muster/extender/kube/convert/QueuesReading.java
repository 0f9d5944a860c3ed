package io.muster.extender.kube.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.extender.core.gang.dialect.GoDuration;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads queues as platform teams write them. Serves one document; not for sharing. */
public final class QueuesReading {

  private static final int MOST_QUEUES = 256;
  private static final int MOST_NAMESPACES = 5_000;
  private static final int MOST_CHARACTERS = 1024 * 1024;
  private static final long MOST_DEVICES = 10_000_000;
  private static final int HEAVIEST = 1_000;

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");
  private static final Set<String> FIELDS =
      Set.of(
          "name",
          "weight",
          "gpus",
          "limit",
          "order",
          "preemption",
          "runTime",
          "runTimeLimit",
          "ageing",
          "namespaces");

  private static final String NEVER = "never";

  private final List<String> problems = new ArrayList<>();
  private final Map<String, String> owners = new HashMap<>();

  private QueuesReading() {}

  /**
   * The queues of this document.
   *
   * @throws InvalidQueuesException with every mistake found
   */
  public static Queues read(String yaml) throws InvalidQueuesException {
    var reading = new QueuesReading();
    var queues = reading.queues(yaml);
    if (!reading.problems.isEmpty()) {
      throw new InvalidQueuesException(reading.problems);
    }
    return new Queues(queues);
  }

  private List<Queue> queues(String yaml) {
    var document = tree(yaml);
    if (document.isNull() || document.isMissingNode()) {
      return List.of();
    }
    var list = document.path("queues");
    if (!document.isObject() || document.size() != 1 || !list.isArray()) {
      problems.add("the document must have one field, queues, with a list");
      return List.of();
    }
    if (list.size() > MOST_QUEUES) {
      problems.add("queues: at most %d".formatted(MOST_QUEUES));
      return List.of();
    }
    var queues = new ArrayList<Queue>();
    var names = new HashSet<String>();
    for (int i = 0; i < list.size(); i++) {
      var queue = queue("queues[%d]".formatted(i), list.get(i));
      if (!names.add(queue.name())) {
        problems.add(
            "queues[%d].name: \"%s\" is the name of another queue".formatted(i, queue.name()));
      }
      queues.add(queue);
    }
    return queues;
  }

  private Queue queue(String where, JsonNode node) {
    if (!node.isObject()) {
      problems.add(where + ": must be a map with a name");
      return Queue.unbounded(where);
    }
    node.fieldNames()
        .forEachRemaining(field -> {
          if (!FIELDS.contains(field)) {
            problems.add(
                "%s.%s: no such field; there are %s"
                    .formatted(
                        where, field, FIELDS.stream().sorted().collect(Collectors.joining(", "))));
          }
        });
    var name = name(where, node);
    var quota = number(where, node, "gpus", 0, MOST_DEVICES);
    var limit = number(where, node, "limit", 0, MOST_DEVICES);
    if (quota.isPresent() && limit.isPresent() && limit.get() < quota.get()) {
      problems.add("%s.limit: %d is less than gpus, %d".formatted(where, limit.get(), quota.get()));
    }
    var order = order(where, node);
    var preempts = isOn(where, node);
    if (preempts && order == Order.PRIORITY) {
      problems.add(
          "%s.preemption: goes with order shortest-gang or least-attained; gangs of higher priority"
                  .formatted(where)
              + " end others without it");
    }
    return new Queue(
        name,
        number(where, node, "weight", 1, HEAVIEST).map(Long::intValue).orElse(1),
        quota,
        limit,
        order,
        preempts,
        duration(where, node, "runTime", "90m"),
        duration(where, node, "runTimeLimit", "24h"),
        ageing(where, node),
        namespaces(where, name, node));
  }

  private String name(String where, JsonNode node) {
    var name = node.path("name").asText("");
    if (!NAME.matcher(name).matches()) {
      problems.add(
          where
              + ".name: must be 1 to 63 lower-case letters, digits, \"-\" and \".\", not \"%s\""
                  .formatted(name));
      return where;
    }
    return name;
  }

  private Optional<Long> number(String where, JsonNode node, String field, long least, long most) {
    var value = node.path(field);
    if (value.isMissingNode() || value.isNull()) {
      return Optional.empty();
    }
    if (!value.isIntegralNumber() || value.asLong() < least || value.asLong() > most) {
      problems.add(
          "%s.%s: must be an integer from %d to %d, not %s"
              .formatted(where, field, least, most, value));
      return Optional.empty();
    }
    return Optional.of(value.asLong());
  }

  private Order order(String where, JsonNode node) {
    var value = node.path("order");
    if (value.isMissingNode() || value.isNull()) {
      return Order.PRIORITY;
    }
    return Order.of(value.asText())
        .orElseGet(() -> {
          problems.add(
              "%s.order: must be one of %s, not %s"
                  .formatted(
                      where,
                      Arrays.stream(Order.values())
                          .map(Order::label)
                          .collect(Collectors.joining(", ")),
                      value));
          return Order.PRIORITY;
        });
  }

  private boolean isOn(String where, JsonNode node) {
    var value = node.path("preemption");
    if (!value.isMissingNode() && !value.isNull() && !value.isBoolean()) {
      problems.add("%s.preemption: must be true or false, not %s".formatted(where, value));
    }
    return value.asBoolean(false);
  }

  private Optional<Duration> duration(String where, JsonNode node, String field, String example) {
    var value = node.path(field);
    if (value.isMissingNode() || value.isNull()) {
      return Optional.empty();
    }
    var time = GoDuration.parse(value.asText()).filter(Duration::isPositive);
    if (time.isEmpty()) {
      problems.add(
          "%s.%s: must be a duration above 0, like %s, not %s"
              .formatted(where, field, example, value));
    }
    return time;
  }

  private Optional<Duration> ageing(String where, JsonNode node) {
    return node.path("ageing").asText().equals(NEVER)
        ? Optional.of(Queue.NEVER)
        : duration(where, node, "ageing", "12h, or never");
  }

  private Set<String> namespaces(String where, String queue, JsonNode node) {
    var value = node.path("namespaces");
    if (value.isMissingNode() || value.isNull()) {
      return Set.of();
    }
    if (!value.isArray() || value.size() > MOST_NAMESPACES) {
      problems.add(
          "%s.namespaces: must be a list of at most %d names".formatted(where, MOST_NAMESPACES));
      return Set.of();
    }
    var names = new HashSet<String>();
    value.forEach(item -> {
      var other = item.asText().equals(Queue.ANY) ? null : owners.putIfAbsent(item.asText(), queue);
      if (other != null) {
        problems.add(
            "%s.namespaces: %s is in queue \"%s\" already".formatted(where, item.asText(), other));
      }
      names.add(item.asText());
    });
    return names;
  }

  private JsonNode tree(String yaml) {
    if (yaml.length() > MOST_CHARACTERS) {
      problems.add("the document is longer than 1 MiB");
      return MissingNode.getInstance();
    }
    return YamlDocument.read(yaml, problems);
  }
}
