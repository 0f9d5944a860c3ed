package io.muster.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Breaks a good document in one to four places, or its bytes. The same seed breaks it in the same
 * way. Confined to a thread.
 */
final class Mutator {

  /** Keys by which pods and jobs say something to Muster, in all dialects. */
  private static final List<String> KEYS =
      List.of(
          "muster.io/gang-name",
          "muster.io/gang-min",
          "muster.io/gang-total",
          "muster.io/gang-timeout",
          "muster.io/gang-mode",
          "muster.io/gang-groups",
          "muster.io/gang-roles",
          "muster.io/gang-role",
          "muster.io/gang-index",
          "muster.io/gang-later",
          "muster.io/gang-dialect",
          "muster.io/gang-incarnation",
          "muster.io/gang-topology-required",
          "muster.io/gang-topology-preferred",
          "muster.io/gang-segments",
          "muster.io/injected",
          "muster.io/inject",
          "muster.io/inject-env",
          "muster.io/pin",
          "muster.io/pinned",
          "muster.io/queue",
          "muster.io/preemptible",
          "muster.io/run-time",
          "muster.io/checkpoint",
          "muster.io/checkpoint-every",
          "muster.io/rendezvous-profile",
          "muster.io/rendezvous-nodes",
          "muster.io/profiles",
          "muster.io/member",
          "muster.io/released",
          "muster.io/elastic",
          "muster.io/grace-seconds",
          "muster.io/resize-cost",
          "muster.io/start-at-min",
          "muster.io/trainers",
          "muster.io/trainer-failure-limit",
          "muster.io/worker-requests",
          "muster.io/worker-restart-budget",
          "muster.io/completion-policy",
          "muster.io/suspend-policy",
          "muster.io/dlrover-mode",
          "gang.scheduling.koordinator.sh/name",
          "gang.scheduling.koordinator.sh/min-available",
          "gang.scheduling.koordinator.sh/total-number",
          "gang.scheduling.koordinator.sh/waiting-time",
          "gang.scheduling.koordinator.sh/groups",
          "pod-group.scheduling.sigs.k8s.io",
          "pod-group.scheduling.sigs.k8s.io/name",
          "pod-group.scheduling.sigs.k8s.io/min-available",
          "scheduling.x-k8s.io/pod-group",
          "kueue.x-k8s.io/pod-group-name",
          "kueue.x-k8s.io/pod-group-total-count",
          "scheduling.k8s.io/group-name",
          "scheduling.volcano.sh/group-name",
          "volcano.sh/task-spec",
          "volcano.sh/task-index",
          "pod-group-name",
          "kai.scheduler/subgroup-name",
          "yunikorn.apache.org/task-group-name",
          "yunikorn.apache.org/task-groups",
          "batch.kubernetes.io/job-completion-index",
          "a~b/c");

  /** So many items more of a list, as somebody writes who means harm. */
  private static final int MANY = 300;

  private final Random random;
  private final HostileValues values;

  /** Names of the fields that lead to what was broken. */
  private final Set<String> touched = new LinkedHashSet<>();

  Mutator(long seed) {
    random = new Random(seed);
    values = new HostileValues(random);
  }

  <T> T oneOf(List<T> all) {
    return values.oneOf(all);
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  Set<String> touched() {
    return touched;
  }

  private record Place(JsonNode node, List<String> path) {}

  /** A broken copy, broken below its root. */
  JsonNode broken(JsonNode good) {
    var copy = good.<JsonNode>deepCopy();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      var places = new ArrayList<Place>();
      collect(new Place(copy, List.of()), places);
      spoil(oneOf(places));
    }
    return copy;
  }

  private static void collect(Place place, List<Place> places) {
    if (!place.node().isContainerNode()) {
      return;
    }
    places.add(place);
    if (place.node() instanceof ObjectNode object) {
      object
          .properties()
          .forEach(child -> collect(below(place, child.getKey(), child.getValue()), places));
    } else if (place.path().size() < 40) {
      place.node().forEach(child -> collect(below(place, "", child), places));
    }
  }

  private static Place below(Place place, String name, JsonNode child) {
    var path = new ArrayList<>(place.path());
    path.add(name);
    return new Place(child, path);
  }

  private void spoil(Place place) {
    touched.addAll(place.path());
    if (place.node() instanceof ObjectNode object) {
      spoil(object, place.path());
    } else if (place.node() instanceof ArrayNode array) {
      spoil(array);
    }
  }

  private void spoil(ObjectNode object, List<String> path) {
    var last = path.isEmpty() ? "" : path.getLast();
    if (last.equals("annotations") || last.equals("labels") || (object.isEmpty() && chance(50))) {
      var key = oneOf(KEYS);
      touched.add(key);
      object.set(key, chance(90) ? values.text() : values.any());
    } else if (!object.isEmpty()) {
      var name = oneOf(List.copyOf(object.properties())).getKey();
      touched.add(name);
      switch (random.nextInt(10)) {
        case 0 -> object.remove(name);
        case 1 -> object.set(name + "x", object.remove(name));
        case 2 -> {
          var other = oneOf(List.copyOf(object.properties())).getKey();
          touched.add(other);
          object.set(name, object.path(other).deepCopy());
        }
        default -> object.set(name, values.insteadOf(object.path(name)));
      }
    }
  }

  private void spoil(ArrayNode array) {
    if (array.isEmpty() || chance(20)) {
      array.insert(random.nextInt(array.size() + 1), values.any());
      return;
    }
    int index = random.nextInt(array.size());
    switch (random.nextInt(6)) {
      case 0 -> array.remove(index);
      case 1 -> array.add(array.get(index).<JsonNode>deepCopy());
      case 2 -> {
        for (int i = random.nextInt(100) == 0 ? MANY : 2; i > 0; i--) {
          array.add(array.get(index).<JsonNode>deepCopy());
        }
      }
      default -> array.set(index, values.insteadOf(array.get(index)));
    }
  }

  /** The bytes of a document, cut off, with others in between, or a field blown up. */
  byte[] torn(JsonNode document) {
    var text = document.toString();
    var bytes = text.getBytes(UTF_8);
    return switch (random.nextInt(5)) {
      case 0 -> Arrays.copyOf(bytes, random.nextInt(bytes.length));
      case 1 -> withOtherBytes(bytes);
      case 2 -> text.replace("\"spec\":", "\"spec\":{\"containers\":[]},\"spec\":").getBytes(UTF_8);
      case 3 -> inserted(text, "\"x\":" + "[".repeat(3_000) + ",").getBytes(UTF_8);
      default -> inserted(text, "\"x\":" + "9".repeat(5_000) + ",").getBytes(UTF_8);
    };
  }

  private byte[] withOtherBytes(byte[] bytes) {
    for (int i = 1 + random.nextInt(8); i > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return bytes;
  }

  private static String inserted(String text, String what) {
    int brace = text.indexOf('{') + 1;
    return text.substring(0, brace) + what + text.substring(brace);
  }
}
