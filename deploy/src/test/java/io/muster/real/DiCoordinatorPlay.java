package io.muster.real;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.demo.Checks;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A job with a coordinator, all of whose pods run DI-engine: what the coordinator asks for starts
 * whole, it finds whom people add, and whoever goes is replaced. Confined to the thread that plays.
 */
final class DiCoordinatorPlay {

  private static final String JOB = "cartpole";
  private static final String COORDINATOR = JOB + "-coordinator";
  private static final String COLLECTOR = "collector";
  private static final String LEARNER = "learner";
  private static final int SOME = 10;
  private static final int KILLED = 137;

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** It tries five times to take its leave of a worker, a second apart. */
  private static final Duration DEAF_LIMIT = Duration.ofSeconds(20);

  private static final Pattern AT_WORK = Pattern.compile("is assigned to collector\\((.*?)\\)");

  private final InstantSource clock = InstantSource.system();
  private final Checks checks = new Checks(LIMIT);
  private final DiScene scene;
  private final Launchers launchers;
  private final DiCommand ding;
  private final Notes logs;

  /**
   * @param logs what the coordinator writes
   */
  DiCoordinatorPlay(DiScene scene, Launchers launchers, DiCommand ding, Notes logs) {
    this.scene = scene;
    this.launchers = launchers;
    this.ding = ding;
    this.logs = logs;
  }

  void run(String manifest) {
    whatItAsksForStartsWhole(manifest);
    peopleAddOne();
    peopleTakeOne();
    oneThatPeopleRestartIsReplaced();
    aDeletedOneIsReplaced();
    aFailedOneIsReplaced();
    nothingIsLeft();
  }

  private void whatItAsksForStartsWhole(String manifest) {
    say("+ a coordinator that asks for two collectors and a learner, and two GPUs are there");
    scene.join(2, "first");
    scene.create(manifest);
    checks.becomes("it asks, and they are made", 3L, () -> workers().count());
    checks.stays("the coordinator alone has a node", PATIENCE, 1L, scene::bound);
    checks.equal("it waits for its answer", 0L, said("Post replicas demand"));
    say("+ one more GPU");
    Instant since = clock.instant();
    scene.join(1, "second");
    timed("it is answered", since, 1L, () -> said("Post replicas demand to server successfully"));
    timed("it is connected to both collectors", since, true, () -> knowsAll(COLLECTOR, 2));
    timed("it is connected to the learner", since, true, () -> knowsAll(LEARNER, 1));
    checks.becomes("both collectors are at work", true, this::allAreAtWork);
    checks.becomes("they collect", true, () -> said("send data(") >= SOME);
    checks.becomes("the learner learns", true, () -> said(") send info") >= SOME);
  }

  private void peopleAddOne() {
    say("+ one more GPU, and ding -m dist --add collector");
    scene.join(1, "third");
    Instant since = clock.instant();
    ding("add", "-rs", "1");
    timed("the coordinator is connected to three", since, true, () -> knowsAll(COLLECTOR, 3));
    checks.becomes("all are at work", true, this::allAreAtWork);
  }

  private void peopleTakeOne() {
    say("+ ding -m dist --delete collector");
    Instant since = clock.instant();
    ding("delete", "-rs", "1");
    timed("two are listed", since, 2, () -> listed().size());
    checks.becomes("and two are there", 2L, () -> ofRole(COLLECTOR).count());
    stillAsks();
  }

  private void oneThatPeopleRestartIsReplaced() {
    var lost = anyCollector();
    say("+ ding -m dist --restart collector -rpn " + name(lost));
    isReplaced(lost, () -> ding("restart", "-rpn", name(lost)));
    stillAsks();
  }

  private void aDeletedOneIsReplaced() {
    var lost = anyCollector();
    say("+ kubectl delete pod " + name(lost));
    isReplaced(lost, () -> scene.kubectl("delete", "pod", name(lost), "--wait=false"));
    stillAsks();
  }

  private void isReplaced(Pod lost, Runnable act) {
    Instant since = clock.instant();
    act.run();
    timed("it is listed no more", since, false, () -> listed().contains(url(lost)));
    timed("the coordinator is connected to another", since, true, () -> knowsAll(COLLECTOR, 2));
  }

  /** What the coordinator makes of it is told, not checked: it is no matter of Muster's. */
  private void aFailedOneIsReplaced() {
    var lost = anyCollector();
    say("+ the process of " + name(lost) + " is killed");
    Instant since = clock.instant();
    launchers.launcher(DiScene.NAMESPACE, name(lost)).finish(KILLED);
    timed("it is listed no more", since, false, () -> listed().contains(url(lost)));
    timed("another is listed", since, 2, () -> listed().size());
    boolean isDeaf = Await.within(DEAF_LIMIT, this::asksNoMore);
    System.out.printf("    the coordinator %s%n", isDeaf ? "asks no more" : "goes on asking");
  }

  private void nothingIsLeft() {
    say("+ kubectl delete dijob " + JOB);
    scene.kubectl("delete", "dijob", JOB, "--wait=false");
    checks.becomes("no pod is left", 0, () -> scene.pods().size());
    scene.removeNodes();
  }

  private void stillAsks() {
    checks.stays("the coordinator goes on asking", PATIENCE, false, this::asksNoMore);
  }

  /** The thread in which it asks the server ends at the first error, and nothing else does. */
  private boolean asksNoMore() {
    return launchers
        .launcher(DiScene.NAMESPACE, COORDINATOR)
        .output()
        .contains("Exception in thread period_sync");
  }

  private boolean knowsAll(String role, int count) {
    var urls = urls(role);
    return urls.size() == count && connected(role).containsAll(urls);
  }

  private Set<String> connected(String role) {
    return found(Pattern.compile("Succeed to connect to " + role + "\\((.*?)\\)"));
  }

  private boolean allAreAtWork() {
    return found(AT_WORK).containsAll(urls(COLLECTOR));
  }

  private Set<String> found(Pattern pattern) {
    return lines()
        .flatMap(line -> pattern.matcher(line).results())
        .map(result -> result.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private long said(String words) {
    return lines().filter(line -> line.contains(words)).count();
  }

  private Stream<String> lines() {
    return logs.lines("coordinator_logger.txt").stream();
  }

  private List<String> listed() {
    return scene.listed(COORDINATOR, COLLECTOR);
  }

  private Pod anyCollector() {
    return ofRole(COLLECTOR)
        .findFirst()
        .orElseThrow(() -> new SandboxException("There is no collector."));
  }

  private Set<String> urls(String role) {
    return ofRole(role).map(DiCoordinatorPlay::url).collect(Collectors.toCollection(TreeSet::new));
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }

  private static String url(Pod pod) {
    return "%s.%s:%s"
        .formatted(
            name(pod),
            DiScene.NAMESPACE,
            DiScene.variable(pod, role(pod).equals(LEARNER) ? "LEARNER_PORT" : "COLLECTOR_PORT"));
  }

  private Stream<Pod> workers() {
    return Stream.concat(ofRole(COLLECTOR), ofRole(LEARNER));
  }

  private Stream<Pod> ofRole(String role) {
    return scene.pods().stream()
        .filter(pod -> role(pod).equals(role))
        .filter(pod -> !pod.isMarkedForDeletion());
  }

  private static String role(Pod pod) {
    return pod.getMetadata().getLabels().getOrDefault("replica-type", "");
  }

  private void ding(String act, String... rest) {
    var words = new ArrayList<>(List.of("--" + act, COLLECTOR, "-cdn", COORDINATOR));
    words.addAll(List.of(rest));
    var expected = "collector %s successfully".formatted(act);
    checks.equal("it says " + expected, expected, ding.say(words));
  }

  private <T> void timed(String claim, Instant since, T expected, Supplier<T> observation) {
    checks.becomes(claim, expected, observation);
    System.out.printf(
        "    after %.1f s%n", Duration.between(since, clock.instant()).toMillis() / 1000.0);
  }

  private static void say(String line) {
    System.out.println();
    System.out.println(line);
  }
}
