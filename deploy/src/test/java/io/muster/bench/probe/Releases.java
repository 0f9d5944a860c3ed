package io.muster.bench.probe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.extender.core.cluster.Pod;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Takes the gates off a gang when all of its members are there, by one patch of each. It watches
 * the pods that have no node.
 */
final class Releases {

  private static final Logger LOG = Logger.getLogger(Releases.class.getName());
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String WATCH =
      "/api/v1/pods?watch=true&allowWatchBookmarks=false&fieldSelector=spec.nodeName%3D";

  private static final String PATCH = "[{\"op\": \"remove\", \"path\": \"/spec/schedulingGates\"}]";

  private final Requests requests;
  private final Map<String, Map<String, JsonNode>> gated = new HashMap<>();

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

  /** Gangs of the same names may come from now on. */
  synchronized void forget() {
    gated.clear();
  }

  private synchronized void seen(JsonNode event) {
    if (!event.path("type").asText().equals("ADDED") || !isGated(event.path("object"))) {
      return;
    }
    var pod = event.path("object");
    var member = Member.of(pod);
    // A watch that is opened again tells of the same pods once more.
    var gang = gated.computeIfAbsent(member.gang(), _ -> new LinkedHashMap<>());
    gang.put(pod.path("metadata").path("uid").asText(), pod);
    if (gang.size() >= member.min()) {
      gated.remove(member.gang());
      gang.values().forEach(this::release);
    }
  }

  private static boolean isGated(JsonNode pod) {
    return pod.path("spec").path("schedulingGates").path(0).path("name").asText().equals(Pod.GATE);
  }

  private void release(JsonNode pod) {
    var path =
        "/api/v1/namespaces/%s/pods/%s"
            .formatted(
                pod.path("metadata").path("namespace").asText(),
                pod.path("metadata").path("name").asText());
    Thread.startVirtualThread(() -> {
      var error = requests.write("PATCH", path, PATCH);
      if (!error.isEmpty()) {
        LOG.warning(path + " could not be released: " + error);
      }
    });
  }
}
