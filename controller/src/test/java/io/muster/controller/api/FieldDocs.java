package io.muster.controller.api;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.tools.ToolProvider;

/**
 * Describes the fields of a CRD by the comments of the records that it is made from, as Kubernetes
 * does: what a {@code @param} says of a component is what {@code kubectl explain} says of the
 * field. Reads the sources, each once. Confined to a thread.
 */
final class FieldDocs extends JacksonAnnotationIntrospector {

  private static final long serialVersionUID = 1;
  private static final Path SOURCES = Path.of("src/main/java");

  /** By the simple name of the record and the component. */
  private final transient Map<Path, Map<String, String>> files = new HashMap<>();

  @Override
  public String findPropertyDescription(Annotated part) {
    return part instanceof AnnotatedMember member && member.getDeclaringClass().isRecord()
        ? of(member.getDeclaringClass(), component(member)).orElse(null)
        : super.findPropertyDescription(part);
  }

  private static String component(AnnotatedMember member) {
    return member instanceof AnnotatedParameter parameter
        ? parameter.getDeclaringClass().getRecordComponents()[parameter.getIndex()].getName()
        : member.getName();
  }

  private Optional<String> of(Class<?> type, String component) {
    var file = SOURCES.resolve(outermost(type).getName().replace('.', '/') + ".java");
    var docs = files.computeIfAbsent(file, FieldDocs::read);
    return Optional.ofNullable(docs.get(type.getSimpleName() + "." + component));
  }

  private static Class<?> outermost(Class<?> type) {
    return type.getEnclosingClass() == null ? type : outermost(type.getEnclosingClass());
  }

  private static Map<String, String> read(Path file) {
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      var task =
          (JavacTask)
              compiler.getTask(null, files, null, null, null, files.getJavaFileObjects(file));
      var trees = DocTrees.instance(task);
      var docs = new HashMap<String, String>();
      for (var unit : task.parse()) {
        new TreePathScanner<Void, Void>() {
          @Override
          public Void visitClass(ClassTree type, Void none) {
            var comment = Optional.ofNullable(trees.getDocCommentTree(getCurrentPath()));
            comment.stream()
                .flatMap(tree -> tree.getBlockTags().stream())
                .filter(ParamTree.class::isInstance)
                .map(ParamTree.class::cast)
                .forEach(param ->
                    docs.put(
                        type.getSimpleName() + "." + param.getName(),
                        text(param.getDescription())));
            return super.visitClass(type, null);
          }
        }.scan(unit, null);
      }
      return docs;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(List<? extends DocTree> words) {
    return words.stream().map(DocTree::toString).collect(joining()).replaceAll("\\s+", " ").strip();
  }
}
