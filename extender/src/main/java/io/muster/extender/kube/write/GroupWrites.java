package io.muster.extender.kube.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.protocol.Effect.Group;
import io.muster.extender.core.protocol.Event.CompanionsEnsured.Obstacle;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.gang.NativePodGroups;
import io.muster.extender.kube.write.ApiRequest.Urgency;
import io.muster.extender.kube.write.ApiRequest.Verb;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Makes and deletes the PodGroup of a gang, by which kube-scheduler binds its members together. It
 * is owned by the controller of all members, with which it outlasts Muster, or by the Gang object.
 * One that Muster has not made is left alone. Safe for concurrent use, except for one gang at a
 * time.
 */
final class GroupWrites {

  private static final int TRIES = 3;

  /** One that is being deleted goes in a moment, or stays as long as members name it. */
  private static final int LOOKS = 5;

  private static final Duration FIRST_LOOK = Duration.ofMillis(100);

  private static final String MADE_ANEW =
      "delete all pods of the gang at once, as by suspending its job, so that the PodGroup goes;"
          + " Muster makes it anew";

  private final ApiServer api;
  private final GangDirectory directory;
  private final GangWrites gangs;

  /** The version that was last seen to be served; another lane may forget it at any time. */
  private volatile Optional<String> version = Optional.empty();

  /** A PodGroup as it is to be: where, whose, and what goes into it. */
  private record Draft(Place place, Group wanted, JsonNode member, Map<String, String> owner) {

    Map<String, ?> object() {
      var priorityClass =
          Optional.of(member.path("spec").path("priorityClassName").asText())
              .filter(name -> place.isPriorityCompared() && !name.isEmpty());
      return NativePodGroups.object(
          place.version(), place.gang(), wanted.minCount(), priorityClass, owner);
    }

    /** Of a gang that has started, whoever joins is bound beside those that run. */
    boolean isMetBy(ApiReply found) {
      return hasPriorityOf(found)
          && (wanted.hasStarted()
              ? minCount(found) <= wanted.minCount()
              : minCount(found) == wanted.minCount());
    }

    boolean hasPriorityOf(ApiReply found) {
      return !place.isPriorityCompared() || wanted.priority().equals(Optional.of(priority(found)));
    }
  }

  /** Where the PodGroup of a gang is. */
  private record Place(String version, GangId gang) {

    boolean isPriorityCompared() {
      return NativePodGroups.isPriorityCompared(version);
    }

    String collection() {
      return "/apis/%s/%s/namespaces/%s/%s"
          .formatted(NativePodGroups.GROUP, version, gang.namespace(), NativePodGroups.PLURAL);
    }

    String path() {
      return collection() + "/" + name();
    }

    String name() {
      return NativeGroup.nameOf(gang);
    }
  }

  GroupWrites(ApiServer api, GangDirectory directory, GangWrites gangs) {
    this.api = api;
    this.directory = directory;
    this.gangs = gangs;
  }

  /** Empty once the PodGroup is there and is as it is wanted. */
  Optional<Obstacle> ensure(GangRecord gang, Group wanted) {
    var place = served().map(known -> new Place(known, gang.gang()));
    if (place.isEmpty()) {
      return obstacle(
          "its members are in a PodGroup, and the API server was not seen to serve %s PodGroups"
              .formatted(NativePodGroups.GROUP),
          "have it serve them, or create the members again");
    }
    if (place.get().isPriorityCompared() && wanted.priority().isEmpty()) {
      return obstacle(
          "its members differ in priority or preemptionPolicy, and kube-scheduler binds a PodGroup"
              + " only if all members have that of the group",
          "create all members with the same priorityClassName");
    }
    boolean isMemberNeeded = place.get().isPriorityCompared() || wanted.hasOneController();
    var read =
        wanted
            .member()
            .filter(_ -> isMemberNeeded)
            .map(pod -> api.sendPatiently(ApiRequest.get(PodPaths.of(pod)), TRIES));
    if (read.filter(reply -> !reply.isDone()).isPresent()) {
      return obstacle(
          "a member could not be read, from which its PodGroup takes owner and priority: "
              + read.get().message(),
          "check the log of muster");
    }
    var member = read.map(ApiReply::body).orElseGet(MissingNode::getInstance);
    var owner = owner(gang, wanted, member);
    if (owner.isEmpty()) {
      return obstacle(
          "neither the controller of its members nor its Gang object could be read, one of which is"
              + " to own its PodGroup",
          "check the log of muster");
    }
    return ensure(new Draft(place.get(), wanted, member, owner.get()));
  }

  private Optional<Obstacle> ensure(Draft draft) {
    var found = makeOrFind(draft);
    for (int look = 1; look < LOOKS && found.isGoing(); look++) {
      api.pause(FIRST_LOOK.multipliedBy(1L << (look - 1)));
      found = makeOrFind(draft);
    }
    if (!found.isDone()) {
      return notMade(draft.place(), found);
    }
    if (!isOurs(found.body())) {
      return obstacle(
          "there is a PodGroup %s that is not Muster's".formatted(draft.place().name()),
          "delete it, or give the gang another name");
    }
    return draft.isMetBy(found) ? Optional.empty() : change(draft, found);
  }

  /** A version that is served no more is not found; a refusal says nothing about it. */
  private Optional<Obstacle> notMade(Place place, ApiReply reply) {
    if (reply.isNotFound()) {
      version = Optional.empty();
    }
    return obstacle(
        "PodGroup %s could not be made: %s".formatted(place.name(), reply.message()),
        "check Muster's rights in %s, which deploy/rbac/muster.yml has"
            .formatted(NativePodGroups.GROUP));
  }

  /** Deletes the gang's own PodGroup, if there is one. */
  ApiReply drop(GangId id) {
    var served = served();
    if (served.isEmpty()) {
      return ApiReply.unreachable("PodGroups are not served");
    }
    var place = new Place(served.get(), id);
    var read = api.sendPatiently(ApiRequest.get(place.path()), TRIES);
    return read.isDone() && isOurs(read.body()) ? delete(place, read.body()) : read;
  }

  private Optional<String> served() {
    var known = version;
    if (known.isEmpty()) {
      known =
          NativePodGroups.VERSIONS.stream()
              .filter(each -> {
                var path = "/apis/%s/%s".formatted(NativePodGroups.GROUP, each);
                return api.sendPatiently(ApiRequest.get(path), TRIES)
                    .body()
                    .path("resources")
                    .valueStream()
                    .anyMatch(one -> one.path("name").asText().equals(NativePodGroups.PLURAL));
              })
              .findFirst();
      version = known;
    }
    return known;
  }

  /** As owner references have it. */
  private Optional<Map<String, String>> owner(GangRecord gang, Group wanted, JsonNode member) {
    if (wanted.hasOneController()) {
      for (var each : member.path("metadata").path("ownerReferences")) {
        if (each.path("controller").asBoolean()) {
          return Optional.of(
              Map.of(
                  "apiVersion", each.path("apiVersion").asText(),
                  "kind", each.path("kind").asText(),
                  "name", each.path("name").asText(),
                  "uid", each.path("uid").asText()));
        }
      }
    }
    return gangs.ensure(gang, Urgency.URGENT).isPresent()
        ? Optional.empty()
        : directory.find(gang.gang()).map(DomainWrites::reference);
  }

  private ApiReply makeOrFind(Draft draft) {
    var creation = ApiRequest.urgent(Verb.CREATE, draft.place().collection(), draft.object());
    return api.makeOrFind(creation, draft.place().path(), TRIES);
  }

  /** Kubernetes 1.36 lets nobody change minCount, and nobody may change the priority. */
  private Optional<Obstacle> change(Draft draft, ApiReply found) {
    int minCount = draft.wanted().minCount();
    var changed =
        draft.hasPriorityOf(found)
            ? api.sendPatiently(
                ApiRequest.urgent(
                    Verb.MERGE,
                    draft.place().path(),
                    Map.of("spec", NativePodGroups.spec(minCount))),
                TRIES)
            : found;
    boolean isInTheWay = changed.isDone() ? !draft.isMetBy(changed) : changed.saysOtherwise();
    var made = isInTheWay ? makeAnew(draft, found.body()) : changed;
    if (made.isDone() && draft.isMetBy(made)) {
      return Optional.empty();
    }
    return made.isDone() && !draft.hasPriorityOf(made)
        ? otherPriority(draft, made)
        : obstacle(
            "its PodGroup %s has minCount %d in place of %d, and could not be made anew: %s"
                .formatted(
                    draft.place().name(),
                    minCount(found),
                    minCount,
                    made.isDone() ? "something else keeps it there" : made.message()),
            MADE_ANEW);
  }

  private static Optional<Obstacle> otherPriority(Draft draft, ApiReply made) {
    return obstacle(
        "its members have priority %d, and PodGroup %s has %d by the PriorityClass as it is now"
            .formatted(
                draft.wanted().priority().orElseThrow(), draft.place().name(), priority(made)),
        "create all members again, so that they get the same one");
  }

  /**
   * A finalizer keeps a group there as long as pods name it. Without it none of them can start, and
   * those that run need it no more: it is Muster's own, and the finalizer is taken off it.
   */
  private ApiReply makeAnew(Draft draft, JsonNode group) {
    var place = draft.place();
    var deleted = delete(place, group);
    if (!deleted.isDone() && !deleted.saysGone()) {
      return deleted;
    }
    var left = api.sendPatiently(ApiRequest.get(place.path()), TRIES);
    if (left.isGoing() && isOurs(left.body())) {
      var freed =
          api.sendPatiently(
              ApiRequest.urgent(
                  Verb.MERGE, place.path(), Map.of("metadata", unprotected(left.body()))),
              TRIES);
      if (!freed.isDone() && !freed.saysGone()) {
        return freed;
      }
    }
    return makeOrFind(draft);
  }

  /** The metadata of that version without the finalizer. */
  private static Map<String, ?> unprotected(JsonNode group) {
    var metadata = group.path("metadata");
    return Map.of(
        "uid",
        metadata.path("uid").asText(),
        "resourceVersion",
        metadata.path("resourceVersion").asText(),
        "finalizers",
        metadata
            .path("finalizers")
            .valueStream()
            .map(JsonNode::asText)
            .filter(finalizer -> !finalizer.equals(NativePodGroups.FINALIZER))
            .toList());
  }

  private static int minCount(ApiReply group) {
    return group.body().at(NativePodGroups.MIN_COUNT).asInt();
  }

  private static int priority(ApiReply group) {
    return group.body().at(NativePodGroups.PRIORITY).asInt();
  }

  private ApiReply delete(Place place, JsonNode group) {
    var uid = group.path("metadata").path("uid").asText();
    return api.sendPatiently(ApiRequest.delete(place.path(), uid, Urgency.URGENT), TRIES);
  }

  private static boolean isOurs(JsonNode group) {
    return group
        .path("metadata")
        .path("labels")
        .path(NativePodGroups.MANAGED_BY)
        .asText()
        .equals(NativePodGroups.MUSTER);
  }

  private static Optional<Obstacle> obstacle(String message, String remedy) {
    return Optional.of(new Obstacle(Reason.POD_GROUP, message, remedy));
  }
}
