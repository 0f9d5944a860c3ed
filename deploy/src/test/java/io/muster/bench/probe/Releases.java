package io.muster.bench.probe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.extender.core.cluster.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Takes the gates off a gang when all of its members are there: one replacement of each pod, the
 * cheapest write that does so. It watches the pods that have no node.
 */
final class Releases {

  private static final Logger LOG = Logger.getLogger(Releases.class.getName());
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String WATCH =
      "/api/v1/pods?watch=true&allowWatchBookmarks=false&fieldSelector=spec.nodeName%3D";

  private final Requests requests;
  private final Map<String, List<ObjectNode>> gated = new HashMap<>();

  Releases(Requests requests) {
    this.requests = requests;
  }

  /** Watches from now on, on a thread of its own. */
  void start() {
    Thread.startVirtualThread(() -> {
      while (true) {
        try (var events = requests.lines(WATCH)) {
          for (var line = events.readLine(); line != null; line = events.readLine()) {
            seen(JSON.readTree(line));
          }
        } catch (IOException e) {
          LOG.log(Level.WARNING, "the watch of the probe broke off", e);
        }
      }
    });
  }

  private void seen(JsonNode event) {
    if (!event.path("type").asText().equals("ADDED") || !isGated(event.path("object"))) {
      return;
    }
    var pod = (ObjectNode) event.path("object");
    var member = Member.of(pod);
    var gang = gated.computeIfAbsent(member.gang(), _ -> new ArrayList<>());
    gang.add(pod);
    if (gang.size() == member.min()) {
      gated.remove(member.gang());
      gang.forEach(this::release);
    }
  }

  private static boolean isGated(JsonNode pod) {
    return pod.path("spec").path("schedulingGates").path(0).path("name").asText().equals(Pod.GATE);
  }

  private void release(ObjectNode pod) {
    ((ObjectNode) pod.get("spec")).remove("schedulingGates");
    var path =
        "/api/v1/namespaces/%s/pods/%s"
            .formatted(
                pod.path("metadata").path("namespace").asText(),
                pod.path("metadata").path("name").asText());
    Thread.startVirtualThread(() -> {
      var error = requests.write("PUT", path, pod.toString());
      if (!error.isEmpty()) {
        LOG.warning(path + " could not be released: " + error);
      }
    });
  }
}
