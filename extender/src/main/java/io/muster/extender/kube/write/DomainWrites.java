package io.muster.extender.kube.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.protocol.Event.CompanionsEnsured.Obstacle;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.gang.KnownGang;
import io.muster.extender.kube.write.ApiRequest.Urgency;
import io.muster.extender.kube.write.ApiRequest.Verb;
import io.muster.extender.kube.write.GangWrites.Stored;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes and deletes the ComputeDomain of a gang, which its Gang object owns. One that somebody else
 * has made under its name is left alone, and so is a template of claims. Safe for concurrent use,
 * except for one gang at a time.
 */
final class DomainWrites {

  private static final int TRIES = 3;

  /** NVIDIA's controller needs a moment to make the template, or to let an old domain go. */
  private static final int LOOKS = 6;

  private static final Duration FIRST_LOOK = Duration.ofMillis(100);
  private static final String DRIVER_REMEDY =
      "check that the controller of NVIDIA's DRA driver runs, and its log";

  private final ApiServer api;
  private final GangDirectory directory;
  private final GangWrites gangs;

  DomainWrites(ApiServer api, GangDirectory directory, GangWrites gangs) {
    this.api = api;
    this.directory = directory;
    this.gangs = gangs;
  }

  /** Empty once the domain is there, and the template of its claims. */
  Optional<Obstacle> ensure(GangRecord gang) {
    var id = gang.gang();
    var unstored = gangs.ensure(gang, Urgency.URGENT);
    var owner = directory.find(id);
    if (unstored.isPresent() || owner.isEmpty()) {
      return Optional.of(
          new Obstacle(
              "its Gang object, which is to own its NVLink domain, could not be stored: "
                  + unstored.map(DomainWrites::words).orElse("it is gone"),
              "check the log of muster"));
    }
    var name = NvlinkDomain.nameOf(id);
    var creation = creation(id, name, owner.get());
    var found = api.makeOrFind(creation, domain(id, name), TRIES);
    for (int look = 1; look < LOOKS && found.isGoing(); look++) {
      api.pause(FIRST_LOOK.multipliedBy(1L << (look - 1)));
      found = api.makeOrFind(creation, domain(id, name), TRIES);
    }
    if (found.isNotFound()) {
      return Optional.of(
          new Obstacle(
              "the cluster has no ComputeDomains (%s/%s), or the namespace is gone"
                  .formatted(NvlinkDomain.GROUP, NvlinkDomain.VERSION),
              "install NVIDIA's DRA driver with its ComputeDomain CRD"));
    }
    if (!found.isDone()) {
      return Optional.of(
          new Obstacle(
              "ComputeDomain %s could not be made: %s".formatted(name, found.message()),
              "check Muster's rights in %s, which deploy/rbac/muster.yml has"
                  .formatted(NvlinkDomain.GROUP)));
    }
    var domain = found.body();
    return foreign(domain, name, owner.get())
        .or(() -> template(id, name, domain.path("metadata").path("uid").asText()));
  }

  /** Deletes the gang's own domain, if there is one. */
  ApiReply drop(GangId id) {
    var name = NvlinkDomain.nameOf(id);
    var read = api.sendPatiently(ApiRequest.get(domain(id, name)), TRIES);
    var owner = directory.find(id);
    if (!read.isDone() || owner.filter(known -> isOwned(read.body(), known)).isEmpty()) {
      return read;
    }
    var uid = read.body().path("metadata").path("uid").asText();
    return api.sendPatiently(ApiRequest.delete(domain(id, name), uid, Urgency.LEISURELY), TRIES);
  }

  private static ApiRequest creation(GangId id, String name, KnownGang owner) {
    return ApiRequest.urgent(
        Verb.CREATE,
        domains(id),
        Map.of(
            "apiVersion",
            NvlinkDomain.GROUP + "/" + NvlinkDomain.VERSION,
            "kind",
            "ComputeDomain",
            "metadata",
            Map.of(
                "name",
                name,
                "namespace",
                id.namespace(),
                "labels",
                Map.of("app.kubernetes.io/managed-by", "muster"),
                "ownerReferences",
                List.of(reference(owner))),
            "spec",
            // Whichever nodes members are on: the number may change while the gang runs.
            Map.of(
                "numNodes", 0, "channel", Map.of("resourceClaimTemplate", Map.of("name", name)))));
  }

  /** As owner references have it. */
  static Map<String, String> reference(KnownGang owner) {
    return Map.of(
        "apiVersion",
        Gang.GROUP + "/" + Gang.VERSION,
        "kind",
        "Gang",
        "name",
        owner.objectName(),
        "uid",
        owner.uid());
  }

  private static Optional<Obstacle> foreign(JsonNode domain, String name, KnownGang owner) {
    var metadata = domain.path("metadata");
    if (metadata.hasNonNull("deletionTimestamp") && isOwned(domain, owner)) {
      return Optional.of(
          new Obstacle(
              "ComputeDomain %s of an earlier run is still being deleted".formatted(name),
              DRIVER_REMEDY));
    }
    if (isOwned(domain, owner)) {
      return Optional.empty();
    }
    for (var each : metadata.path("ownerReferences")) {
      if (each.path("kind").asText().equals("Gang")
          && each.path("name").asText().equals(owner.objectName())) {
        return Optional.of(
            new Obstacle(
                "ComputeDomain %s is of an earlier Gang object, with which it goes".formatted(name),
                "delete it if it stays"));
      }
    }
    return Optional.of(
        new Obstacle(
            "there is a ComputeDomain %s that is not Muster's".formatted(name),
            "delete it, or give the gang another name"));
  }

  private static boolean isOwned(JsonNode domain, KnownGang owner) {
    for (var each : domain.path("metadata").path("ownerReferences")) {
      if (each.path("uid").asText().equals(owner.uid())) {
        return true;
      }
    }
    return false;
  }

  private Optional<Obstacle> template(GangId id, String name, String domainUid) {
    var path =
        "/apis/resource.k8s.io/v1/namespaces/%s/resourceclaimtemplates/%s"
            .formatted(id.namespace(), name);
    var read = api.send(ApiRequest.get(path));
    for (int look = 1; look < LOOKS && (read.isNotFound() || read.isTransient()); look++) {
      api.pause(FIRST_LOOK.multipliedBy(1L << (look - 1)));
      read = api.send(ApiRequest.get(path));
    }
    if (read.isDone()) {
      return isOfDomain(read.body(), domainUid)
          ? Optional.empty()
          : Optional.of(
              new Obstacle(
                  "there is a ResourceClaimTemplate %s that is not of its ComputeDomain"
                      .formatted(name),
                  "delete it, or give the gang another name"));
    }
    return Optional.of(
        new Obstacle(
            read.isNotFound()
                ? "NVIDIA's DRA driver has made no ResourceClaimTemplate %s for its ComputeDomain yet"
                    .formatted(name)
                : "ResourceClaimTemplate %s could not be read: %s".formatted(name, read.message()),
            DRIVER_REMEDY));
  }

  /** Whether a claim made of it gets a channel of that domain. */
  private static boolean isOfDomain(JsonNode template, String domainUid) {
    for (var config : template.path("spec").path("spec").path("devices").path("config")) {
      var domain = config.path("opaque").path("parameters").path("domainID").asText();
      if (!domainUid.isEmpty() && domain.equals(domainUid)) {
        return true;
      }
    }
    return false;
  }

  private static String words(Stored failure) {
    return switch (failure) {
      case Stored.Unreachable(var message) -> message;
      case Stored.Refused(var message) -> message;
      case Stored.Done _, Stored.Already _, Stored.Outdated _, Stored.Ahead _ ->
          "it keeps changing";
    };
  }

  private static String domains(GangId gang) {
    return "/apis/%s/%s/namespaces/%s/computedomains"
        .formatted(NvlinkDomain.GROUP, NvlinkDomain.VERSION, gang.namespace());
  }

  private static String domain(GangId gang, String name) {
    return domains(gang) + "/" + name;
  }
}
