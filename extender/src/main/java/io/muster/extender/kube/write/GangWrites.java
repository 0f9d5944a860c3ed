package io.muster.extender.kube.write;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.kube.Sentences;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.gang.GangObjectNames;
import io.muster.extender.kube.gang.GangObjects;
import io.muster.extender.kube.gang.GangStatus;
import io.muster.extender.kube.gang.KnownGang;
import io.muster.extender.kube.write.ApiRequest.Urgency;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Writes Gang objects: one request for an object that is known, two for a new one. A write names
 * the version it replaces; where that is outdated, it is read again and replaced only if nobody
 * with a later epoch has written. Safe for concurrent use, except for one gang at a time.
 */
public final class GangWrites {

  private static final int TRIES_TO_FORGET = 3;
  private static final int OUTDATED_TRIES = 5;

  private final ApiServer api;
  private final GangDirectory directory;
  private final KubernetesSerialization serialization;
  private final InstantSource clock;

  GangWrites(
      ApiServer api,
      GangDirectory directory,
      KubernetesSerialization serialization,
      InstantSource clock) {
    this.api = api;
    this.directory = directory;
    this.serialization = serialization;
    this.clock = clock;
  }

  /** How one try to store a state ended. */
  sealed interface Stored {

    /** The state is in the object. */
    record Done() implements Stored {}

    /** It was there before. */
    record Already() implements Stored {}

    /** What was believed of the object was outdated; at once again. */
    record Outdated() implements Stored {}

    /** Trying again later may help. */
    record Unreachable(String message) implements Stored {}

    /** A later incarnation or epoch of the gang is stored than this state is of. */
    record Ahead(long incarnation, long epoch) implements Stored {
      String message() {
        return "a later incarnation or epoch of the gang is stored";
      }
    }

    /** Trying again does not help. */
    record Refused(String message) implements Stored {}
  }

  /**
   * Stores record and report; gives up only on an object that keeps changing. A write of ours that
   * was given up may have worked: what was just read says so at once.
   */
  Stored store(GangRecord gang, GangReport report, Urgency urgency) {
    Stored stored = new Stored.Outdated();
    for (int tried = 0; tried < OUTDATED_TRIES && stored instanceof Stored.Outdated; tried++) {
      stored = storeOnce(gang, report, urgency);
    }
    return stored;
  }

  private Stored storeOnce(GangRecord gang, GangReport report, Urgency urgency) {
    var wanted = GangObjects.statusOf(gang, report);
    var id = gang.gang();
    var known = directory.find(id);
    if (known.isEmpty()) {
      var found = makeOrFind(gang, urgency);
      if (found.isPresent()) {
        return found.get();
      }
      known = directory.find(id);
    }
    var object = known.orElseThrow();
    if (object.stores(wanted) && object.minAvailable() == gang.minAvailable()) {
      return new Stored.Already();
    }
    if (object.isAheadOf(wanted)) {
      return new Stored.Ahead(object.incarnation(), object.epoch());
    }
    if (object.minAvailable() != gang.minAvailable()) {
      var corrected = ended(id, correctSpec(object, gang, urgency), urgency);
      if (corrected.isPresent()) {
        return corrected.get();
      }
      object = directory.find(id).orElse(object);
    }
    return ended(id, replaceStatus(object, id, wanted, urgency), urgency)
        .orElseGet(Stored.Done::new);
  }

  /** Makes the object where it is not known to be there; empty once it is. */
  Optional<Stored> ensure(GangRecord gang, Urgency urgency) {
    return directory.find(gang.gang()).isPresent() ? Optional.empty() : makeOrFind(gang, urgency);
  }

  /** Deletes the object of the gang, if there is one. */
  ApiReply forget(GangId gang) {
    var known = directory.find(gang);
    if (known.isEmpty()) {
      return new ApiReply(404, MissingNode.getInstance(), "not known");
    }
    var object = known.get();
    var reply =
        api.sendPatiently(
            ApiRequest.delete(
                collection(gang) + "/" + object.objectName(), object.uid(), Urgency.LEISURELY),
            TRIES_TO_FORGET);
    if (reply.isDone() || reply.saysGone()) {
      directory.remove(gang);
    }
    return reply;
  }

  /** Empty once the directory knows the object. */
  private Optional<Stored> makeOrFind(GangRecord gang, Urgency urgency) {
    var id = gang.gang();
    for (var name : GangObjectNames.candidates(id)) {
      var made = api.send(creation(name, gang, urgency));
      if (made.isDone()) {
        directory.put(id, KnownGang.of(objectIn(made)));
        return Optional.empty();
      }
      if (!made.isConflict()) {
        return Optional.of(failure(made));
      }
      var read = api.send(request(ApiRequest.Verb.GET, id, name, Map.of(), urgency));
      if (!read.isDone()) {
        return Optional.of(read.isNotFound() ? new Stored.Outdated() : failure(read));
      }
      var object = objectIn(read);
      if (GangObjects.idOf(object).filter(id::equals).isPresent()) {
        directory.put(id, KnownGang.of(object));
        return Optional.empty();
      }
    }
    return Optional.of(new Stored.Refused("objects of other gangs bear all its names"));
  }

  private static ApiRequest creation(String name, GangRecord gang, Urgency urgency) {
    var id = gang.gang();
    return new ApiRequest(
        ApiRequest.Verb.CREATE,
        collection(id),
        Map.of(
            "apiVersion",
            Gang.GROUP + "/" + Gang.VERSION,
            "kind",
            "Gang",
            "metadata",
            Map.of("name", name, "namespace", id.namespace()),
            "spec",
            GangObjects.specOf(gang)),
        urgency);
  }

  private ApiReply correctSpec(KnownGang object, GangRecord gang, Urgency urgency) {
    // A null takes the field away; without it the old number would stay.
    var spec = new HashMap<String, Integer>();
    spec.put("minAvailable", GangObjects.specOf(gang).minAvailable());
    return api.send(
        request(
            ApiRequest.Verb.MERGE,
            gang.gang(),
            object.objectName(),
            Map.of("metadata", Map.of("resourceVersion", object.resourceVersion()), "spec", spec),
            urgency));
  }

  private ApiReply replaceStatus(KnownGang object, GangId id, GangStatus wanted, Urgency urgency) {
    return api.send(
        request(
            ApiRequest.Verb.REPLACE,
            id,
            object.objectName() + "/status",
            Map.of(
                "apiVersion",
                Gang.GROUP + "/" + Gang.VERSION,
                "kind",
                "Gang",
                "metadata",
                Map.of(
                    "name",
                    object.objectName(),
                    "namespace",
                    id.namespace(),
                    "uid",
                    object.uid(),
                    "resourceVersion",
                    object.resourceVersion()),
                "spec",
                Map.of("dialect", id.dialect().label(), "gangName", id.name()),
                "status",
                object.dated(wanted, Sentences.second(clock.instant()))),
            urgency));
  }

  /** Empty if the write worked; else what its refusal has taught. */
  private Optional<Stored> ended(GangId id, ApiReply reply, Urgency urgency) {
    if (reply.isDone()) {
      directory.put(id, KnownGang.of(objectIn(reply)));
      return Optional.empty();
    }
    if (reply.isNotFound()) {
      directory.remove(id);
      return Optional.of(new Stored.Outdated());
    }
    return Optional.of(reply.saysGone() ? readAgain(id, urgency) : failure(reply));
  }

  private Stored readAgain(GangId id, Urgency urgency) {
    var name = directory.find(id).map(KnownGang::objectName).orElseThrow();
    var read = api.send(request(ApiRequest.Verb.GET, id, name, Map.of(), urgency));
    if (!read.isDone() && !read.isNotFound()) {
      return failure(read);
    }
    var object = read.isDone() ? Optional.of(objectIn(read)) : Optional.<Gang>empty();
    object
        .filter(found -> GangObjects.idOf(found).filter(id::equals).isPresent())
        .ifPresentOrElse(
            found -> directory.put(id, KnownGang.of(found)), () -> directory.remove(id));
    return new Stored.Outdated();
  }

  private static Stored failure(ApiReply reply) {
    return reply.isTransient()
        ? new Stored.Unreachable(reply.message())
        : new Stored.Refused(reply.message());
  }

  private static ApiRequest request(
      ApiRequest.Verb verb, GangId id, String name, Map<String, ?> body, Urgency urgency) {
    return new ApiRequest(verb, collection(id) + "/" + name, body, urgency);
  }

  private static String collection(GangId gang) {
    return "/apis/%s/%s/namespaces/%s/%s"
        .formatted(Gang.GROUP, Gang.VERSION, gang.namespace(), Gang.PLURAL);
  }

  private Gang objectIn(ApiReply reply) {
    return serialization.convertValue(reply.body(), Gang.class);
  }
}
