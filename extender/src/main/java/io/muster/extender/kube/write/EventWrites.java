package io.muster.extender.kube.write;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.kube.Sentences;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.gang.GangObjectNames;
import io.muster.extender.kube.gang.KnownGang;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Writes core/v1 Events. The same sentence on the same object is one Event that counts, so that
 * kubectl shows {@code (x2 over 13s)}. Safe for concurrent use, except for one object at a time.
 */
public final class EventWrites {

  private static final int REMEMBERED = 10_000;
  private static final int LONGEST_STEM = 200;
  private static final Pattern EDGE = Pattern.compile("[-.]+$");

  private final ApiServer api;
  private final GangDirectory gangs;
  private final InstantSource clock;
  private final String component;
  private final Map<String, Integer> counts =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
          return size() > REMEMBERED;
        }
      };

  EventWrites(ApiServer api, GangDirectory gangs, InstantSource clock, String component) {
    this.api = api;
    this.gangs = gangs;
    this.clock = clock;
    this.component = component;
  }

  ApiReply explain(PodKey pod, String sentence) {
    return warn(new Effect.Warn(pod, "FailedScheduling", sentence));
  }

  ApiReply warn(Effect.Warn warning) {
    var pod = warning.pod();
    return tell(
        new Told(
            new Subject("v1", "Pod", pod.namespace(), pod.name(), pod.uid()),
            "Warning",
            warning.reason(),
            Sentences.cut(warning.sentence())));
  }

  ApiReply announce(Effect.Announce announcement) {
    var gang = announcement.gang();
    var known = gangs.find(gang);
    return tell(
        new Told(
            new Subject(
                Gang.GROUP + "/" + Gang.VERSION,
                "Gang",
                gang.namespace(),
                known
                    .map(KnownGang::objectName)
                    .orElse(GangObjectNames.candidates(gang).getFirst()),
                known.map(KnownGang::uid).orElse("")),
            announcement.warning() ? "Warning" : "Normal",
            announcement.reason(),
            Sentences.cut(announcement.sentence())));
  }

  private ApiReply tell(Told told) {
    var known = countOf(told.name());
    if (known == 0) {
      var created = api.send(create(told));
      return created.isConflict() ? recount(told) : remembered(told, 1, created);
    }
    var patched = api.send(count(told, Map.of("count", known + 1)));
    // The apiserver drops events after an hour.
    return patched.isNotFound()
        ? remembered(told, 1, api.send(create(told)))
        : remembered(told, known + 1, patched);
  }

  /** An earlier life of Muster has told it: the count is in the reply to a patch without one. */
  private ApiReply recount(Told told) {
    var seen = api.send(count(told, Map.of()));
    var next = seen.body().path("count").asInt(1) + 1;
    return seen.isDone()
        ? remembered(told, next, api.send(count(told, Map.of("count", next))))
        : seen;
  }

  private ApiReply remembered(Told told, int count, ApiReply reply) {
    if (reply.isDone()) {
      synchronized (counts) {
        counts.put(told.name(), count);
      }
    }
    return reply;
  }

  private int countOf(String name) {
    synchronized (counts) {
      return counts.getOrDefault(name, 0);
    }
  }

  private ApiRequest create(Told told) {
    var now = Sentences.second(clock.instant());
    var event = new LinkedHashMap<String, Object>();
    event.put("apiVersion", "v1");
    event.put("kind", "Event");
    event.put("metadata", Map.of("name", told.name(), "namespace", told.subject().namespace()));
    event.put("involvedObject", told.subject().reference());
    event.put("type", told.type());
    event.put("reason", told.reason());
    event.put("message", told.sentence());
    event.put("source", Map.of("component", component));
    event.put("reportingComponent", component);
    event.put("firstTimestamp", now);
    event.put("lastTimestamp", now);
    event.put("count", 1);
    return ApiRequest.event(ApiRequest.Verb.CREATE, told.subject().events(), event);
  }

  private ApiRequest count(Told told, Map<String, Integer> count) {
    var patch = new LinkedHashMap<String, Object>(count);
    patch.put("lastTimestamp", Sentences.second(clock.instant()));
    return ApiRequest.event(
        ApiRequest.Verb.MERGE, told.subject().events() + "/" + told.name(), patch);
  }

  /** What an Event is about. */
  private record Subject(
      String apiVersion, String kind, String namespace, String name, String uid) {

    Map<String, String> reference() {
      var reference = new LinkedHashMap<String, String>();
      reference.put("apiVersion", apiVersion);
      reference.put("kind", kind);
      reference.put("namespace", namespace);
      reference.put("name", name);
      if (!uid.isEmpty()) {
        reference.put("uid", uid);
      }
      return reference;
    }

    String events() {
      return "/api/v1/namespaces/" + namespace + "/events";
    }
  }

  /** One sentence about one object; its name is the same in every life of Muster. */
  private record Told(Subject subject, String type, String reason, String sentence) {

    String name() {
      var identity = subject.uid() + '\n' + reason + '\n' + sentence;
      var hash = UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8));
      var name = subject.name();
      var stem = name.substring(0, Math.min(name.length(), LONGEST_STEM));
      return EDGE.matcher(stem).replaceFirst("")
          + "."
          + Long.toHexString(hash.getMostSignificantBits());
    }
  }
}
