// In the middle of a long trail of handshakes steps were left out without a word.
//: violated
//: says steps not shown
chan hand = [0] of { byte };
byte last;
active proctype Give() { last = 1; hand!1; hand!2; hand!3; hand!4; hand!5; hand!6; hand!7; hand!8; hand!9; hand!10; hand!11; hand!12; hand!13; hand!14; hand!15; hand!16; hand!17; hand!18; hand!19; hand!20; hand!21; hand!22; hand!23; hand!24; hand!25; hand!26; hand!27; hand!28; hand!29; hand!30; hand!31; hand!32; hand!33; hand!34; hand!35; hand!36; hand!37; hand!38; hand!39; hand!40; hand!41; hand!42; hand!43; hand!44; hand!45; hand!46; hand!47; hand!48; hand!49; hand!50; hand!51; hand!52; hand!53; hand!54; hand!55; hand!56; hand!57; hand!58; hand!59; hand!60; hand!61; hand!62; hand!63; hand!64; hand!65; hand!66; hand!67; hand!68; hand!69; hand!70; hand!71; hand!72; hand!73; hand!74; hand!75; hand!76; hand!77; hand!78; hand!79; assert(last == 2) }
active proctype Take() { end: do :: hand?_ od }
