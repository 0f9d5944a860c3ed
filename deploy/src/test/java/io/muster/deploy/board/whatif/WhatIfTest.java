package io.muster.deploy.board.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.muster.deploy.board.access.Access;
import io.muster.deploy.config.Config;
import io.muster.deploy.view.Fitting;
import io.muster.deploy.view.Views;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.sandbox.Await;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WhatIfTest {

  private static final Fitting FITTING = new Fitting(Config.load(Optional.empty(), Map.of()));
  private static final String ADA = "ada";
  private static final Access LAB = new Access(false, Set.of("lab"), false, false);
  private static final Access NO_NODES = new Access(true, Set.of(), false, true);

  private final JsonMapper mapper = JsonMapper.builder().build();
  private final WhatIf whatIf = new WhatIf(FITTING, Duration.ofSeconds(30));

  private static Optional<String> node(int number) {
    return Optional.of("n" + number).filter(_ -> number < 3);
  }

  private static byte[] json(String json) {
    return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }

  private JsonNode ask(ClusterView view, Access access, String request)
      throws InterruptedException {
    return mapper.valueToTree(
        whatIf.reply(ADA, view, access, WhatIfTest::node, json(request)).document());
  }

  private JsonNode ask(Views views, String request) throws InterruptedException {
    return ask(views.view(), Access.ALL, request);
  }

  private static String gpus(int members, int each) {
    return "'members': %d, 'device': 'nvidia.com/gpu', 'devicesEach': %d".formatted(members, each);
  }

  private static Views full() {
    return new Views().node("n1", 8).node("n2", 8).runs("a", "n1", 8).runs("b", "n2", 8);
  }

  @Test
  void aFormIsAnsweredWithPlaces() throws InterruptedException {
    var answer = ask(new Views().node("n1", 8).node("n2", 4), "{%s}".formatted(gpus(3, 4)));

    assertThat(answer.at("/starts").asText()).isEqualTo("now");
    assertThat(answer.at("/sentence").asText()).startsWith("would start now: there is room");
    assertThat(answer.at("/places").toString()).isEqualTo("[[\"n1\",2],[\"n2\",1]]");
    assertThat(answer.at("/asOf").asText()).isEqualTo(Views.NOW.toString());
    assertThat(answer.has("after")).as("what is absent is left out").isFalse();
  }

  @Test
  void whatHasToEndFirstIsNamed() throws InterruptedException {
    var answer = ask(full(), "{%s}".formatted(gpus(1, 8)));

    assertThat(answer.at("/starts").asText()).isEqualTo("after-gangs");
    assertThat(answer.at("/after/0/namespace").asText()).isEqualTo("train");
    assertThat(answer.at("/after/0/name").asText()).isEqualTo("a");
    assertThat(answer.at("/after/0/since").asText()).isEqualTo("2026-11-22T05:50:00Z");
    assertThat(answer.has("places")).isFalse();
  }

  /** Each with the field that the answer names, and a part of what it says. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | members | say how many members",
        "{'members': 0} | members | whole number from 1 to 5000, not 0",
        "{'members': -1} | members | whole number from 1 to 5000",
        "{'members': 5001} | members | whole number from 1 to 5000",
        "{'members': 9223372036854775808} | members | not 9223372036854775808",
        "{'members': 1e400} | members | whole number",
        "{'members': '4'} | members | whole number",
        "{'members': 1.5} | members | not 1.5",
        "{'members': 2, 'device': 'nvidia.com/gpu', 'devicesEach': 0.5} | devicesEach | whole"
            + " number from 0 to 10000, not 0.5",
        "{'members': 2, 'devicesEach': 1} | device | by which name, like nvidia.com/gpu",
        "{'members': 2, 'device': 'gpu'} | device | the name of a resource",
        "{'members': 2, 'device': 'nvidia.com/gpu.shared'} | device | whole devices: ask for"
            + " nvidia.com/gpu",
        "{'members': 2, 'device': 7} | device | a text, not 7",
        "{'members': 2, 'cpu': '8 cores'} | cpu | an amount, like 8 or 500m",
        "{'members': 2, 'memory': -1} | memory | an amount, like 64Gi",
        "{'members': 2, 'memory': '1e9999999'} | memory | an amount",
        "{'members': 2, 'priority': 2147483648} | priority | whole number from -2147483648 to"
            + " 2147483647",
        "{'members': 2, 'runTime': 'soon'} | runTime | a duration above 0, like 90m",
        "{'members': 2, 'runTime': '-1h'} | runTime | a duration above 0",
        "{'members': 2, 'namespace': 'A B'} | namespace | the name of a namespace",
        "{'members': 2, 'nodeSelector': 'pool=a'} | nodeSelector | an object",
        "{'members': 2, 'nodeSelector': {'pool': 1}} | nodeSelector.pool | a text",
        "{'members': 2, 'nodeSelector': {'po ol': 'a'}} | nodeSelector.po ol | a label of nodes",
        "{'members': 2, 'nodes': 3} | nodes | leave it out",
        "{'members': 2, 'moreNodes': {'count': 1001, 'like': 'n1'}} | moreNodes.count | from 0 to"
            + " 1000",
        "{'members': 2, 'moreNodes': {'count': 1}} | moreNodes.like | which node",
        "{'members': 2, 'moreNodes': {'count': 1, 'like': 'x'}} | moreNodes.like | no node x",
        "{'members': 2, 'moreNodes': {'count': 1, 'like': 99999999999}} | moreNodes.like | no node"
            + " 999",
        "{'members': 2, 'manifest': '{kind: Pod}'} | members | leave it out, or the manifest",
        "{'manifest': 'kind: ['} | manifest | line 1: no valid YAML",
        "{'manifest': '{kind: ConfigMap}'} | manifest | no pod and no template",
        "{'manifest': 'hello'} | manifest | no object with a kind",
        "{'manifest': '{kind: Deployment, spec: {replicas: 2000000000, template: {spec:"
            + " {containers: [{name: c}]}}}}'} | manifest | more than 20000",
        "{'manifest': '{kind: Pod, metadata: [], spec: {}}'} | manifest | Pod/: metadata has to be"
            + " an object",
        "{'manifest': '{kind: Job, metadata: {name: j}, spec: {completionMode: Indexed, template:"
            + " {metadata: {labels: x}, spec: {containers: [{}]}}}}'} | manifest | labels has to be"
            + " an object",
        "{'manifest': '{kind: Job, spec: {template: {metadata: 7, spec: {containers: [7]}}}}'} |"
            + " manifest | would be refused",
        "{'members': 2, 'members': 3} |  | no JSON",
        "[] |  | a JSON object",
        "{'members': 2} x |  | no JSON",
        "nothing |  | no JSON",
      })
  void whatCannotBeAnsweredNamesTheFieldAndTheFix(String request, String field, String message)
      throws InterruptedException {
    var reply = whatIf.reply(ADA, full().view(), Access.ALL, WhatIfTest::node, json(request));

    assertThat(reply)
        .isInstanceOfSatisfying(
            Reply.Refused.class,
            refused -> {
              assertThat(refused.why()).isEqualTo(Reply.Refusal.INVALID);
              assertThat(refused.document().field()).isEqualTo(field);
              assertThat(refused.document().message()).contains(message);
            });
  }

  @Test
  void noBytesAreNoRequest() throws InterruptedException {
    var reply = whatIf.reply(ADA, full().view(), Access.ALL, WhatIfTest::node, new byte[0]);

    assertThat(reply.document().toString()).contains("the request is no JSON");
  }

  @Test
  void aManifestThatWouldBeRefusedIsSaidToBe() throws InterruptedException {
    var answer =
        ask(
            full(),
            "{'manifest': '{kind: Pod, metadata: {name: p, annotations: {muster.io/gang-name: g,"
                + " muster.io/gang-min: two}}, spec: {containers: [{name: c}]}}'}");

    assertThat(answer.at("/field").asText()).isEqualTo("manifest");
    assertThat(answer.at("/message").asText()).startsWith("Pod/p would be refused: ");
  }

  @Test
  void aRequestThatIsTooLongIsRefused() throws InterruptedException {
    var reply =
        whatIf.reply(
            ADA, full().view(), Access.ALL, WhatIfTest::node, new byte[WhatIf.LONGEST_REQUEST + 1]);

    assertThat(((Reply.Refused) reply).why()).isEqualTo(Reply.Refusal.TOO_LONG);
  }

  @Test
  void aliasesAreRefusedAndSoIsWhatIsNestedTooDeep() throws InterruptedException {
    var bomb = new StringBuilder("a0: &a0 [x, x]\\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("a%1$d: &a%1$d [*a%2$d, *a%2$d]\\n".formatted(i, i - 1));
    }
    bomb.append("kind: Pod\\n");
    assertThat(message("{'manifest': '%s'}".formatted(bomb)))
        .isEqualTo("line 2: an alias, *a0: write out what it stands for");

    var deep = "{kind: List, items: [".repeat(90) + "]}".repeat(90);
    assertThat(message("{'manifest': '%s'}".formatted(deep))).contains("no pod and no template");
    var deeper = "{kind: List, items: [".repeat(5_000) + "]}".repeat(5_000);
    assertThat(message("{'manifest': '%s'}".formatted(deeper)))
        .contains("nested more than 200 deep");
    var json = "{'nodeSelector': %s".formatted("[".repeat(100_000));
    assertThat(message(json)).contains("no JSON");
  }

  private String message(String request) throws InterruptedException {
    return ask(full(), request).at("/message").asText();
  }

  @Test
  void aPodThatNoClusterHasIsNotPlayedThrough() throws InterruptedException {
    var ports =
        IntStream.range(1, 5_000)
            .mapToObj("{hostPort: %d}"::formatted)
            .collect(Collectors.joining(","));
    var pod =
        "{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, ports: [" + ports + "]}]}}";

    assertThat(message("{'manifest': '%s'}".formatted(pod)))
        .isEqualTo(
            "a pod has more than 64 ports of the node, 64 extended resources or 256 node terms:"
                + " run muster fit");
  }

  @Test
  void moreNodesAreEmptyReadyAndHaveTheLabelsOfTheOneTheyAreLike() throws InterruptedException {
    var request = "{%s, 'moreNodes': {'count': %d, 'like': 'n1'}}";

    assertThat(ask(full(), request.formatted(gpus(2, 8), 0)).at("/starts").asText())
        .isEqualTo("after-gangs");
    var answer = ask(full(), request.formatted(gpus(2, 8), 2));
    assertThat(answer.at("/starts").asText()).isEqualTo("now");
    assertThat(answer.at("/places").toString()).isEqualTo("[[\"n1+1\",1],[\"n1+2\",1]]");
    assertThat(ask(full(), request.formatted(gpus(1000, 8), 1000)).at("/starts").asText())
        .isEqualTo("now");
    var byNumber = ask(full(), "{%s, 'moreNodes': {'count': 1, 'like': 2}}".formatted(gpus(1, 8)));
    assertThat(byNumber.at("/places").toString()).isEqualTo("[[\"n2+1\",1]]");
  }

  @Test
  void aNewNodeIsReadyThoughTheOneItIsLikeIsNot() {
    var cordoned = RandomCluster.of(3).view();
    for (var like : cordoned.nodes()) {
      var added = NewNodes.added(cordoned, like, like.name(), 1).nodes();
      var more = added.stream().filter(node -> node.name().equals(like.name() + "+1")).findFirst();
      assertThat(more.orElseThrow().isAvailable()).isTrue();
      assertThat(more.get().labels())
          .containsEntry("kubernetes.io/hostname", like.name() + "+1")
          .containsEntry("pool", like.labels().get("pool"));
      assertThat(more.get().taints())
          .noneMatch(taint -> taint.key().equals("node.kubernetes.io/unschedulable"));
      assertThat(added).hasSize(cordoned.nodes().size() + 1);
    }
  }

  @Test
  void aClusterWithoutNodesIsAnswered() throws InterruptedException {
    var answer = ask(new Views(), "{%s}".formatted(gpus(1, 1)));

    assertThat(answer.at("/starts").asText()).isEqualTo("never");
    assertThat(answer.at("/why").asText()).contains("0/0 nodes");
  }

  // What others see.

  @Test
  void whoSeesOneNamespaceGetsNoNamesOfOthersNorOfNodes() throws InterruptedException {
    var views = full();
    var answer = ask(views.view(), LAB, "{%s}".formatted(gpus(2, 8)));

    assertThat(answer.at("/starts").asText()).isEqualTo("after-gangs");
    assertThat(answer.at("/sentence").asText())
        .isEqualTo("would start once 2 gangs of other namespaces have ended");
    assertThat(answer.at("/others").asInt()).isEqualTo(2);
    assertThat(answer.has("after")).isFalse();
    assertThat(answer.toString()).doesNotContain("train", "n1", "n2", "nvidia");

    var trains = new Access(false, Set.of("train", "lab"), false, false);
    assertThat(
            ask(views.view(), trains, "{'namespace': 'lab', %s}".formatted(gpus(1, 8)))
                .at("/sentence")
                .asText())
        .isEqualTo("would start once gang train/a (for 10m here) has ended");

    var now = ask(new Views().node("n1", 8).view(), LAB, "{%s}".formatted(gpus(1, 8)));
    assertThat(now.at("/sentence").asText()).startsWith("would start now: there is room");
    assertThat(now.has("places")).isFalse();

    var never = ask(new Views().node("n1", 8).view(), LAB, "{%s}".formatted(gpus(1, 9)));
    assertThat(never.at("/sentence").asText()).isEqualTo("would never start");
  }

  @Test
  void whatIsWrongWithOnesOwnPodsIsToldToEverybody() throws InterruptedException {
    var answer =
        ask(
            full().view(),
            LAB,
            "{'manifest': '{kind: Pod, metadata: {name: p, annotations: {muster.io/gang-name: g, muster.io/gang-min: \\'2\\'}}, spec: {containers: [{name: c}]}}'}"
                .replace("\\'", "\\u0022"));

    assertThat(answer.at("/sentence").asText())
        .isEqualTo("would never start: gang lab/g needs 2 members, and there would be 1");
  }

  @Test
  void nobodyAsksAboutANamespaceThatIsNotShownToThem() throws InterruptedException {
    for (var request :
        List.of(
            "{'namespace': 'train', %s}".formatted(gpus(1, 1)),
            "{'manifest': '{kind: Pod, metadata: {name: p, namespace: train}, spec: {containers:"
                + " [{name: c}]}}'}")) {
      var reply = whatIf.reply(ADA, full().view(), LAB, WhatIfTest::node, json(request));
      assertThat(((Reply.Refused) reply).why()).isEqualTo(Reply.Refusal.FORBIDDEN);
      assertThat(((Reply.Refused) reply).document().message())
          .startsWith("gangs of namespace train are not shown to you");
    }
  }

  private static Queue queue(String name, long limit, Set<String> namespaces) {
    return new Queue(
        name,
        1,
        Optional.empty(),
        Optional.of(limit),
        Order.PRIORITY,
        false,
        Optional.empty(),
        namespaces);
  }

  private static ClusterView queued(Queue... queues) {
    var view = new Views().node("n1", 8).runs("a", "n1", 4).view();
    return new ClusterView(
        view.takenAt(),
        view.rules(),
        view.deadlines(),
        view.released(),
        List.of(queues),
        Levels.FOUND,
        view.budgets(),
        view.namespaceQuotas(),
        view.namespaces(),
        view.nodes(),
        view.gangs(),
        view.terms(),
        view.pods());
  }

  @Test
  void queuesAreThoseThatAreShown() throws InterruptedException {
    var view = queued(queue("mine", 2, Set.of("lab")), queue("theirs", 4, Set.of("train")));
    var hidden =
        whatIf.reply(ADA, view, LAB, WhatIfTest::node, json("{'members': 1, 'queue': 'theirs'}"));
    var none =
        whatIf.reply(ADA, view, LAB, WhatIfTest::node, json("{'members': 1, 'queue': 'nowhere'}"));
    assertThat(((Reply.Refused) hidden).why()).isEqualTo(Reply.Refusal.FORBIDDEN);
    assertThat(hidden.document().toString().replace("theirs", "nowhere"))
        .as("whether there is such a queue is not told")
        .isEqualTo(none.document().toString());

    var own = ask(view, LAB, "{'queue': 'mine', %s}".formatted(gpus(1, 3)));
    assertThat(own.at("/why").asText()).startsWith("queue \"mine\" may hold 2 devices");

    var both = new Access(false, Set.of("lab", "train"), false, false);
    var barred = "{'namespace': 'lab', 'queue': 'theirs', 'members': 1}";
    assertThat(ask(view, both, barred).at("/why").asText())
        .startsWith("queue \"theirs\" is not open to namespace \"lab\"")
        .contains("one of: mine; ");
    var more = queued(queue("theirs", 4, Set.of("train")), queue("secret", 8, Set.of()));
    assertThat(ask(more, Access.ALL, barred).at("/why").asText()).contains("secret");
    var told = ask(more, both, barred);
    assertThat(told.at("/sentence").asText()).isEqualTo("would never start");
    assertThat(told.toString()).doesNotContain("secret");
  }

  @Test
  void whoMayNotKnowNodesCannotFindTheirNamesByGuessing() throws InterruptedException {
    var request = "{%s, 'moreNodes': {'count': 1, 'like': '%s'}}";
    var known = ask(full().view(), LAB, request.formatted(gpus(1, 8), "n1"));
    var unknown = ask(full().view(), LAB, request.formatted(gpus(1, 8), "n9"));

    assertThat(known.at("/message").asText()).isEqualTo("there is no node n1");
    assertThat(unknown.at("/message").asText()).isEqualTo("there is no node n9");
    assertThat(ask(full().view(), LAB, request.formatted(gpus(1, 8), "1")).at("/starts").asText())
        .isEqualTo("now");
  }

  // Bounds.

  /** Holds every answer until it is let go. */
  private static final class Held {
    private final CountDownLatch begun = new CountDownLatch(2);
    private final CountDownLatch end = new CountDownLatch(1);

    Optional<String> node(int number) {
      begun.countDown();
      try {
        end.await();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
      return Optional.of("n" + number);
    }
  }

  @Test
  void twoAreAnsweredAtOnceAndWhatIsGivenUpCountsUntilItEnds() throws Exception {
    var held = new Held();
    var view = full().view();
    var request = json("{%s, 'moreNodes': {'count': 1, 'like': 1}}".formatted(gpus(1, 8)));
    var quick = new WhatIf(FITTING, Duration.ofMillis(300));
    try (var askers = Executors.newFixedThreadPool(2)) {
      Callable<Reply> ada = () -> quick.reply(ADA, view, Access.ALL, held::node, request);
      Callable<Reply> bob = () -> quick.reply("bob", view, Access.ALL, held::node, request);
      var slow = askers.invokeAll(List.of(ada, bob));
      held.begun.await();
      for (var each : slow) {
        assertThat(((Reply.Refused) each.get()).why()).isEqualTo(Reply.Refusal.TOO_SLOW);
      }

      long began = System.nanoTime();
      for (int i = 0; i < 10_000; i++) {
        var busy = quick.reply("eve", view, Access.ALL, held::node, request);
        assertThat(((Reply.Refused) busy).why()).isEqualTo(Reply.Refusal.BUSY);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
      assertThat(threads()).as("none pile up").isEqualTo(2);

      held.end.countDown();
      Await.until("both to have ended", Duration.ofSeconds(20), () -> threads() == 0);
    }
    var again = new ArrayList<Reply>();
    Await.until(
        "an answer",
        Duration.ofSeconds(20),
        () -> {
          again.add(reply(quick, view, request));
          return again.getLast() instanceof Reply.Given;
        });
  }

  /** The slots are for all, so nobody holds both. */
  @Test
  void oneOfEachAccountIsAnsweredAtATime() throws Exception {
    var held = new Held();
    var view = full().view();
    var request = json("{%s, 'moreNodes': {'count': 1, 'like': 1}}".formatted(gpus(1, 8)));
    try (var askers = Executors.newFixedThreadPool(1)) {
      var first = askers.submit(() -> whatIf.reply(ADA, view, Access.ALL, held::node, request));
      Await.until("it to begin", Duration.ofSeconds(20), () -> held.begun.getCount() == 1);

      var second = whatIf.reply(ADA, view, Access.ALL, WhatIfTest::node, request);
      assertThat(((Reply.Refused) second).why()).isEqualTo(Reply.Refusal.ONE_AT_A_TIME);
      assertThat(second.document().toString()).contains("your last question is still being");
      assertThat(whatIf.reply("bob", view, Access.ALL, WhatIfTest::node, request))
          .as("the other slot is free for others")
          .isInstanceOf(Reply.Given.class);

      held.end.countDown();
      assertThat(first.get()).isInstanceOf(Reply.Given.class);
    }
    Await.until("all to have ended", Duration.ofSeconds(20), () -> threads() == 0);
    assertThat(reply(whatIf, view, request)).isInstanceOf(Reply.Given.class);
  }

  private static Reply reply(WhatIf whatIf, ClusterView view, byte[] request) {
    try {
      return whatIf.reply(ADA, view, Access.ALL, WhatIfTest::node, request);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("muster-what-if"))
        .count();
  }

  /** A search for what has to end first that would take minutes. */
  @Test
  void aSearchThatTakesTooLongIsGivenUpAndEndsSoon() throws InterruptedException {
    var view = RandomCluster.large(1_000, 500, 0);
    var quick = new WhatIf(FITTING, Duration.ofMillis(1));

    var reply =
        quick.reply(ADA, view, Access.ALL, WhatIfTest::node, json("{%s}".formatted(gpus(900, 8))));

    assertThat(((Reply.Refused) reply).why()).isEqualTo(Reply.Refusal.TOO_SLOW);
    Await.until("it to end", Duration.ofSeconds(20), () -> threads() == 0);
  }

  /** Answers would tell which names, labels and taints there are. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nodeSelector: {kubernetes.io/hostname: n1}",
        "nodeSelector: {topology.kubernetes.io/rack: r1}",
        "nodeSelector: {pool: a100}",
        "nodeName: n1",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
            + " {nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: Exists}]}]}}}",
        "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1,"
            + " preference: {matchExpressions: [{key: pool, operator: Exists}]}}]}}",
        "tolerations: [{key: dedicated, value: acme, effect: NoSchedule}]",
      })
  void whoMayNotSeeNodesCannotFindOutWhatTheyHave(String part) throws InterruptedException {
    var pod =
        "{'manifest': '{kind: Pod, metadata: {name: p}, spec: {%s, containers: [{name: c}]}}'}"
            .formatted(part);

    assertRefusedAsGuess(pod);
    assertThat(ask(new Views(), pod.replace("n1", "n7").replace("pool", "other")).has("starts"))
        .as("who may see them is answered")
        .isTrue();
  }

  private void assertRefusedAsGuess(String pod) throws InterruptedException {
    var answer = ask(full().view(), NO_NODES, pod);
    assertThat(answer.at("/message").asText()).startsWith("names, labels and taints of nodes are");
    assertThat(ask(new Views().view(), NO_NODES, pod)).as("whatever there is").isEqualTo(answer);
  }

  /** A request about a gang of one that says this too. */
  private static String gang(String key, String value) {
    var manifest =
        """
        kind: Pod
        metadata:
          name: p
          annotations:
            muster.io/gang-name: g
            muster.io/gang-min: "1"
            muster.io/%s: >-
              %s
        spec: {containers: [{name: c}]}
        """
            .formatted(key, value.replace('\'', '"'));
    return "{'manifest': %s}".formatted(TextNode.valueOf(manifest));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "gang-later | {'nodeSelector': {'kubernetes.io/hostname': 'n1'}, 'containers': [{}]}",
        "gang-later | {'tolerations': [{'key': 'dedicated', 'operator': 'Exists'}], 'containers':"
            + " [{}]}",
        "gang-later | {'affinity': {'nodeAffinity':"
            + " {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms':"
            + " [{'matchExpressions': [{'key': 'pool', 'operator': 'Exists'}]}]}}},"
            + " 'containers': [{}]}",
        "gang-topology-required | topology.kubernetes.io/rack",
        "gang-topology-required | pool",
        "gang-topology-preferred | rack,topology.kubernetes.io/zone",
        "gang-segments | topology.kubernetes.io/rack=1",
      })
  void norByWhatTheirGangsSay(String key, String value) throws InterruptedException {
    assertRefusedAsGuess(gang(key, value));
    assertThat(ask(new Views(), gang(key, value)).has("starts"))
        .as("who may see them is answered")
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "gang-topology-required | rack | true",
        "gang-topology-preferred | rack | true",
        "gang-segments | rack=1 | true",
        "nvlink-domain | required | true",
        "gang-later | {'containers': [{}], 'nodeSelector': {'kubernetes.io/os': 'linux'}} | true",
        "gang-topology-required | example.org/rack | false",
        "gang-topology-required | block | false",
      })
  void levelsOfTheNetworkAreAskedAboutByTheirNames(String key, String value, boolean isAnswered)
      throws InterruptedException {
    var view = levelled(new Levels.Level("rack", "example.org/rack", 0));

    assertThat(ask(view, NO_NODES, gang(key, value)).has("starts")).isEqualTo(isAnswered);
  }

  private static ClusterView levelled(Levels.Level... levels) {
    var view = full().view();
    return new ClusterView(
        view.takenAt(),
        view.rules(),
        view.deadlines(),
        view.released(),
        view.queues(),
        new Levels(List.of(levels), false),
        view.budgets(),
        view.namespaceQuotas(),
        view.namespaces(),
        view.nodes(),
        view.gangs(),
        view.terms(),
        view.pods());
  }

  @Test
  void whatManifestsHaveEverywhereIsNoGuess() throws InterruptedException {
    var answer =
        ask(
            new Views().node("n1", 8).view(),
            NO_NODES,
            "{'manifest': '{kind: Pod, metadata: {name: p}, spec: {nodeSelector: {kubernetes.io/os:"
                + " linux}, tolerations: [{key: nvidia.com/gpu, operator: Exists}, {operator:"
                + " Exists}, {key: node.kubernetes.io/not-ready, operator: Exists}], containers:"
                + " [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}'}");

    assertThat(answer.has("starts")).as(answer.toString()).isTrue();
    assertThat(ask(full().view(), LAB, "{%s}".formatted(gpus(1, 1))).at("/starts").asText())
        .as("a form has a toleration")
        .isEqualTo("after-gangs");
  }

  @Test
  void aFaultIsToldAsOne() throws InterruptedException {
    var reply =
        whatIf.reply(
            ADA,
            full().view(),
            Access.ALL,
            _ -> {
              throw new IllegalStateException("made up");
            },
            json("{%s, 'moreNodes': {'count': 1, 'like': 1}}".formatted(gpus(1, 8))));

    assertThat(((Reply.Refused) reply).why()).isEqualTo(Reply.Refusal.FAULT);
    assertThat(reply.document().toString()).doesNotContain("made up");
  }
}
