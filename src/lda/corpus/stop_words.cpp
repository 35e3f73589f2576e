#include <sstream>
#include <string>
#include <vector>

#include "papilio/corpus.h"

namespace papilio {
namespace {

// Articles, pronouns, determiners, prepositions, conjunctions, auxiliaries, and adverbs
// that say little about a text's subject; contractions with the typewriter's
// apostrophe, with the printer's (U+2019), and without one if that makes no other word.
constexpr const char* function_words =
    "a about above across after again against ago all almost along alongside already also although altogether "
    "always am amid among amongst an and another any anybody anyhow anyone anything anyway anywhere apart "
    "approximately are aren't arent aren’t around as aside at atop away barely be because been before behind "
    "being below beneath beside besides between beyond both but by can can't cannot cant can’t certainly chiefly "
    "clearly completely concerning could could've couldn't couldnt couldn’t couldve could’ve dare despite did "
    "didn't didnt didn’t do does doesn't doesnt doesn’t doing don't done dont don’t down during each either else "
    "elsewhere enough especially essentially etc even ever every everybody everyone everything everywhere "
    "exactly except excepting fairly far few fewer first firstly for former formerly forth forward frequently "
    "from fully further furthermore generally get gets getting got gotten had hadn't hadnt hadn’t half hardly "
    "has hasn't hasnt hasn’t have haven't havent haven’t having he he'd he'll he's hed hence her here here's "
    "hereafter hereby herein heres here’s hers herself hes he’d he’ll he’s him himself his how how's however "
    "hows how’s i i'd i'll i'm i've if im in including indeed inside instead into is isn't isnt isn’t it it'd "
    "it'll it's itd itll its itself it’d it’ll it’s ive i’d i’ll i’m i’ve just largely last lastly later latter "
    "least less lest let's lets let’s like likely little lot lots mainly many may maybe me meanwhile merely "
    "might might've mightn't mightnt mightn’t mightve might’ve mine minus more moreover most mostly much must "
    "must've mustn't mustnt mustn’t mustve must’ve my myself namely near nearly need needn't neednt needn’t "
    "neither never nevertheless next no nobody none nonetheless nor not nothing notwithstanding now nowhere of "
    "off often on once one ones oneself only onto opposite or other others otherwise ought oughtn't oughtnt "
    "oughtn’t our ours ourselves out outside over overall own particularly past per perhaps plus possibly "
    "precisely previously primarily probably quite rather really recently regarding relatively respectively "
    "round same secondly seldom several shall shan't shant shan’t she she'd she'll she's shes she’d she’ll she’s "
    "should should've shouldn't shouldnt shouldn’t shouldve should’ve simply since so some somebody somehow "
    "someone something sometime sometimes somewhat somewhere soon still such than that that'd that'll that's "
    "thatd thatll thats that’d that’ll that’s the their theirs them themselves then thence there there'd "
    "there'll there's thereafter thereby thered therefore therein therell theres thereupon there’d there’ll "
    "there’s these they they'd they'll they're they've theyd theyll theyre theyve they’d they’ll they’re they’ve "
    "thirdly this those though through throughout thus till to together too toward towards truly twice under "
    "underneath unless unlike until up upon us usually versus very via was wasn't wasnt wasn’t we we'd we'll "
    "we're we've well were weren't werent weren’t weve we’d we’ll we’re we’ve what what's whatever whats what’s "
    "when when's whence whenever whens when’s where where's whereas whereby wherein wheres whereupon wherever "
    "where’s whether which whichever while whilst who who'd who'll who's whod whoever wholl whom whomever whos "
    "whose who’d who’ll who’s why why's whys why’s will with within without won't wont won’t would would've "
    "wouldn't wouldnt wouldn’t wouldve would’ve yet you you'd you'll you're you've youd youll your youre yours "
    "yourself yourselves youve you’d you’ll you’re you’ve";

std::vector<std::string> split(const char* words) {
  std::istringstream text(words);
  std::vector<std::string> list;
  for (std::string word; text >> word;) list.push_back(word);
  return list;
}

}  // namespace

const std::vector<std::string>& english_stop_words() {
  static const std::vector<std::string> words = split(function_words);
  return words;
}

}  // namespace papilio
